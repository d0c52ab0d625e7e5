/** A run and its final values, as the API returns them. */
import type { QueuedRun, Run, RunStatus } from '../../core/agent/run.ts'
import type { ThreadState } from '../../core/agent/thread.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import { withoutUser } from './run-user.ts'

/** A run as the API returns it. The list of members keeps a new column private until it is named here. */
export function runOnWire(run: QueuedRun): Run {
  const { langsmith_session_name = null, ...kwargs } = withoutUser(run.kwargs)
  return {
    run_id: run.run_id,
    thread_id: run.thread_id,
    assistant_id: run.assistant_id,
    created_at: run.created_at,
    updated_at: run.updated_at,
    status: run.status,
    metadata: run.metadata,
    kwargs,
    multitask_strategy: run.multitask_strategy,
    attempt: run.attempt,
    cancel_reason: run.cancel_reason,
    stop_outcome: run.stop_outcome,
    langsmith_session_name,
  }
}

/**
 * The values that `wait` returns. They must be an object, and show open interrupts as `__interrupt__`: an
 * empty list if the run stopped at a breakpoint, which has no question.
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
