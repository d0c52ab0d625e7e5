/** A run, and what it leaves, as the API answers them. */
import type { QueuedRun, Run, RunStatus } from '../../core/agent/run.ts'
import type { ThreadState } from '../../core/agent/thread.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import { withoutUser } from './user.ts'

/** A run as the API answers it: without what only the queue and the graph need to know. */
export function runOnWire(run: QueuedRun): Run {
  const { seq, available_at, cancel_action, error, started_at, origin, ...wire } = run
  return { ...wire, kwargs: withoutUser(wire.kwargs) }
}

/**
 * What `wait` answers of a run with this status must be an object, and shows open interrupts (facts, 0.1 and
 * 2.4): an empty list where it stopped at a breakpoint, at which nothing is asked.
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
