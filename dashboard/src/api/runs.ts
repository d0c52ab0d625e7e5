/** Runs of all threads, as an agent server's `POST /runs/search` returns them. */
import { askForPage } from './agent-request.ts'
import type { AgentServer } from './agent-server.tsx'
import type { Excerpt } from './excerpts.ts'
import type { RunStatus } from './states.ts'

export const RUN_STATUSES = [
  'pending',
  'running',
  'success',
  'error',
  'timeout',
  'interrupted',
] as const satisfies readonly RunStatus[]

/** Times in ms since 1970. */
export interface FoundRun {
  run_id: string
  thread_id: string
  assistant_id: string
  graph_id: string | null
  created_at: string
  status: RunStatus
  attempt: number
  metadata: Record<string, unknown>
  error: { error: string; message: string } | null
  due_at: number
  started_at: number | null
  ended_at: number | null
  /** Absent from an older version's server. */
  excerpt?: Excerpt
  /** It stopped to ask, and its thread still waits for the answer. Absent from an older version's server. */
  is_waiting?: boolean
}

export interface RunQuery {
  run_id?: string | undefined
  status?: RunStatus | undefined
  is_waiting?: boolean | undefined
  assistant_id?: string | undefined
  thread_id?: string | undefined
  metadata?: Record<string, unknown> | undefined
  error?: string | undefined
  /** Words in its input, its output or its question, whatever their case. */
  text?: string | undefined
  created_after?: string | undefined
}

/** One page, newest first. `next`: the cursor of the following page. `lookedAt`: see `askForPage`. */
export async function searchRuns(
  server: AgentServer,
  query: RunQuery & { limit: number; cursor?: string | undefined },
  signal?: AbortSignal,
): Promise<{ runs: FoundRun[]; next: string | undefined; lookedAt: number | undefined }> {
  const found = await askForPage<FoundRun[]>(server, 'POST', '/runs/search', query, signal)
  return {
    lookedAt: found.lookedAt,
    runs: found.answer,
    next: found.headers.get('x-pagination-next') ?? undefined,
  }
}
