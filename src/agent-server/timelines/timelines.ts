/** The verbs on the timelines of runs. */
import type { Caller } from '../../core/agent/authorization.ts'
import { isTerminal, type QueuedRun } from '../../core/agent/run.ts'
import {
  foldTimeline,
  type PlacedSpan,
  type TimelineAttempt,
  type TimelineCheckpoint,
} from '../../core/agent/timeline/timeline.ts'
import { AppError } from '../../core/errors.ts'
import type { Parts } from '../agent-server-parts.ts'
import { getRun, type RunId } from '../runs/runs.ts'

/** A run and its timeline. Times in ms since 1970. */
interface Timeline
  extends Pick<
    QueuedRun,
    'run_id' | 'thread_id' | 'assistant_id' | 'status' | 'attempt' | 'error' | 'started_at'
  > {
  created_at: number
  /** The earliest time at which the run could be claimed. */
  due_at: number
  ended_at: number | null
  attempts: TimelineAttempt[]
  spans: PlacedSpan[]
  /** The first `MAX_CHECKPOINTS`, in order of creation. */
  checkpoints: TimelineCheckpoint[]
}

const MAX_CHECKPOINTS = 2_000

/** Without the texts of its spans. Throws `not_found`. */
export async function readTimeline(
  parts: Pick<Parts, 'store' | 'authorize'>,
  caller: Caller,
  which: RunId,
): Promise<Timeline> {
  const run = await getRun(parts, caller, which)
  const { store } = parts
  const [entries, checkpoints] = await Promise.all([
    store.timelines.read(run.run_id),
    store.checkpoints.listOf(run, MAX_CHECKPOINTS),
  ])
  const { attempts, spans } = foldTimeline(entries, run.status === 'running')
  const { run_id, thread_id, assistant_id, status, attempt, error, started_at } = run
  return {
    ...{ run_id, thread_id, assistant_id, status, attempt, error, started_at },
    created_at: Date.parse(run.created_at),
    due_at: run.available_at,
    ended_at: isTerminal(status) ? Date.parse(run.updated_at) : null,
    attempts,
    spans: spans.map(withoutTexts),
    checkpoints,
  }
}

/**
 * A span with its texts: the input and output of a model or tool, and the stack of an error. They reveal prompts and
 * files that only the project's developers may see, so users of the project's own auth do not get them. Throws
 * `not_found`.
 */
export async function readSpan(
  parts: Pick<Parts, 'store' | 'authorize'>,
  caller: Caller,
  which: RunId,
  span_id: string,
): Promise<PlacedSpan> {
  const run = await getRun(parts, caller, which)
  const entries = await parts.store.timelines.read(run.run_id)
  const { spans } = foldTimeline(entries, run.status === 'running')
  const span = spans.find((one) => one.span_id === span_id)
  if (!span) throw new AppError('not_found', `Run ${run.run_id} has no span ${span_id}.`)
  return isDeveloper(caller) ? span : withoutTexts(span)
}

function isDeveloper({ user }: Caller): boolean {
  return user === undefined || user.kind === 'StudioUser'
}

function withoutTexts({ input, output, error, ...span }: PlacedSpan): PlacedSpan {
  if (!error) return span
  const { stack: _, ...told } = error
  return { ...span, error: told }
}
