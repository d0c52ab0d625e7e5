/** Reads a thread's history without the values, which may be a megabyte per step. */
import type { Checkpoint, Interrupt, Metadata } from '@langchain/langgraph-sdk'
import { askForPage } from '../../api/agent-request.ts'
import type { AgentServer } from '../../api/agent-server.tsx'

/** A checkpoint as the history lists it. */
export interface HistoryRow {
  id: string
  /** Undefined for a thread's first checkpoint. */
  parentId: string | undefined
  /** −1 for the first input; each step counts on from its parent. */
  step: number
  /** `input`: a run started; `loop`: nodes ran; `update`, `fork`: a user changed the state. */
  source: string
  /** The run that wrote it. */
  runId: string | undefined
  /** The nodes that come next. */
  next: readonly string[]
  interrupts: readonly Interrupt[]
  createdAt: string | undefined
}

/** The server's response to `FIELDS`. */
interface SelectedState {
  checkpoint: Checkpoint
  parent_checkpoint: Checkpoint | null | undefined
  metadata: Metadata
  next: string[]
  interrupts: Interrupt[]
  created_at: string | null | undefined
}

const FIELDS = [
  'checkpoint',
  'parent_checkpoint',
  'metadata',
  'next',
  'interrupts',
  'created_at',
] satisfies (keyof SelectedState)[]

export interface HistoryPage {
  /** Newest first. */
  rows: HistoryRow[]
  /** There may be older ones. */
  hasMore: boolean
}

/** Up to `limit` checkpoints, newest first; with `before` only those older than that one. */
export async function readHistoryPage(
  server: Pick<AgentServer, 'url' | 'headers'>,
  threadId: string,
  page: { limit: number; before?: string | undefined; metadata?: Metadata },
  signal?: AbortSignal,
): Promise<HistoryPage> {
  // The SDK's `getHistory` does not know `select`.
  const path = `/threads/${threadId}/history`
  const asked = { ...page, select: FIELDS }
  const found = await askForPage<SelectedState[]>(server, 'POST', path, asked, signal)
  // A response may also be cut by its size; a header reports that.
  const isCut = found.headers.has('x-pagination-next')
  return { rows: found.answer.map(rowOf), hasMore: isCut || found.answer.length === page.limit }
}

export function rowOf(state: SelectedState): HistoryRow {
  const { checkpoint, parent_checkpoint, next, interrupts, created_at } = state
  const { step, source, run_id } = (state.metadata ?? {}) as Record<string, unknown>
  return {
    id: checkpoint.checkpoint_id ?? '',
    parentId: parent_checkpoint?.checkpoint_id ?? undefined,
    step: Number(step ?? 0),
    source: String(source ?? 'loop'),
    runId: typeof run_id === 'string' ? run_id : undefined,
    next,
    interrupts,
    createdAt: created_at ?? undefined,
  }
}
