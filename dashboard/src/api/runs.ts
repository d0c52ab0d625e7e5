/** Runs of all threads, as an agent server's `POST /runs/search` returns them. */
import { askAgent, askForPage } from './agent-request.ts'
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
  /** It stopped to ask, and its thread still waits for the answer. */
  is_waiting: boolean
}

export interface RunQuery {
  run_id?: string | undefined
  status?: RunStatus | undefined
  /** Whether it waits: see `is_waiting`. */
  waiting?: boolean | undefined
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
  const found = await askForPage<Omit<FoundRun, 'is_waiting'>[]>(
    server,
    'POST',
    '/runs/search',
    query,
    signal,
  )
  return {
    lookedAt: found.lookedAt,
    runs: await withWaiting(server, found.answer, signal),
    next: found.headers.get('x-pagination-next') ?? undefined,
  }
}

/**
 * The run that stopped to ask ended with the latest state of its thread; earlier runs ended before it. If the threads
 * cannot be searched, no run waits.
 */
async function withWaiting(
  server: AgentServer,
  runs: Omit<FoundRun, 'is_waiting'>[],
  signal: AbortSignal | undefined,
): Promise<FoundRun[]> {
  const ended = runs.filter(({ status }) => status === 'success')
  const ids = [...new Set(ended.map(({ thread_id }) => thread_id))]
  const waiting =
    ids.length === 0
      ? []
      : await askAgent<{ thread_id: string; state_updated_at: string }[]>(
          server,
          'POST',
          '/threads/search',
          { ids, status: 'interrupted', limit: 1_000, select: ['thread_id', 'state_updated_at'] },
          signal,
        ).catch(() => [])
  const since = new Map(waiting.map((one) => [one.thread_id, Date.parse(one.state_updated_at)]))
  const isWaiting = ({ thread_id, status, ended_at }: (typeof runs)[number]) =>
    status === 'success' && (since.get(thread_id) ?? Number.POSITIVE_INFINITY) <= (ended_at ?? 0)
  return runs.map((run) => ({ ...run, is_waiting: isWaiting(run) }))
}
