/** Searches runs on all threads. */
import type { Caller } from '../../core/agent/authorization.ts'
import {
  isTerminal,
  type QueuedRun,
  type Run,
  type RunError,
  type RunQuery,
} from '../../core/agent/run.ts'
import { filterOfSeen } from '../access/seen-threads.ts'
import type { Parts } from '../parts.ts'
import { runOnWire } from './run-on-wire.ts'

/** A run in a list: without its `kwargs`, with its error and times. */
interface FoundRun extends Omit<Run, 'kwargs'> {
  graph_id: string | null
  error: RunError | null
  /** Times in ms since 1970. */
  due_at: number
  started_at: number | null
  ended_at: number | null
}

/** One page of the runs on threads that the caller may see, the latest first. `next`: start of the next page. */
export async function searchRuns(
  parts: Pick<Parts, 'store' | 'authorize'>,
  caller: Caller,
  query: Omit<RunQuery, 'filter'>,
  page: { limit: number; before?: number },
): Promise<{ runs: FoundRun[]; next: number | undefined }> {
  const filter = await filterOfSeen(parts, caller)
  const wanted = { ...query, ...(filter && { filter }) }
  const found = await parts.store.runs.search(wanted, { ...page, limit: page.limit + 1 })
  const runs = found.slice(0, page.limit)
  return {
    runs: runs.map(present),
    next: found.length > page.limit ? runs.at(-1)?.seq : undefined,
  }
}

function present(run: QueuedRun): FoundRun {
  const { kwargs: _, ...wire } = runOnWire(run)
  const { graph_id } = run.metadata
  return {
    ...wire,
    graph_id: typeof graph_id === 'string' ? graph_id : null,
    error: run.error,
    due_at: run.available_at,
    started_at: run.started_at,
    ended_at: isTerminal(run.status) ? Date.parse(run.updated_at) : null,
  }
}
