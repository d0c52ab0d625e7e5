/** A run, and what it leaves, as the API answers them. */
import type { QueuedRun, Run, RunStatus, StoredRun } from '../../core/agent/run.ts'
import type { ThreadState } from '../../core/agent/thread.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import { withoutUser } from './user.ts'

/** A run as the API answers it: without what only the queue and the graph need to know. */
export function runOnWire(run: QueuedRun & Partial<Pick<StoredRun, 'seq'>>): Run {
  const { seq, available_at, cancel_action, error, started_at, origin, ...wire } = run
  const { langsmith_session_name = null, ...kwargs } = withoutUser(wire.kwargs)
  return { ...wire, kwargs, langsmith_session_name }
}

/**
 * The values that `wait` answers. They must be an object, and show open interrupts as `__interrupt__`: an
 * empty list where the run stopped at a breakpoint, which asks nothing.
 */
export function finalValues(
  state: ThreadState | undefined,
  status: RunStatus | undefined,
): JsonObject {
  if (!state) return {}
  const { values, interrupts, next } = state
  const object = isObject(values) ? values : values === null ? {} : { result: values }
  const isStopped = status === 'success' && next.length > 0
  if (interrupts.length === 0 && !isStopped) return object
  return { ...object, __interrupt__: interrupts.map((one) => ({ ...one })) }
}
