/** A run and its final values, as the API returns them. */
import type { QueuedRun, Run, RunStatus } from '../../core/agent/run.ts'
import type { ThreadState } from '../../core/agent/thread.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import { answerOf } from '../../http/answer.ts'
import { RunSchema } from './run-schemas.ts'
import { withoutUser } from './run-user.ts'

/** A run as the API returns it: the members of `RunSchema` alone, so that a new column stays private. */
export function runOnWire(run: QueuedRun): Run {
  const { langsmith_session_name = null, ...kwargs } = withoutUser(run.kwargs)
  return answerOf(RunSchema, run, { kwargs, langsmith_session_name })
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
