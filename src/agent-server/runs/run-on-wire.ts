/** A run and its final values, as the API returns them. */
import type { AgentStore } from '../../core/agent/agent-store.ts'
import { AUTH_USER_KEY } from '../../core/agent/authorization.ts'
import type { QueuedRun, Run, RunKwargs, RunStatus } from '../../core/agent/run.ts'
import type { ThreadState } from '../../core/agent/thread.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import { answerOf } from '../../http/answer.ts'
import { RunSchema } from './run-schemas.ts'

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

/**
 * A copy without the user that a project's `authenticate` returned for the run's creator, or the same object if it has
 * none. The graph reads the user from the config, on any server that executes the run, so it is stored until the run is
 * over. It may hold the user's own tokens: no response shows it, and an ended run keeps only the identity and the
 * permissions.
 */
function withoutUser(kwargs: RunKwargs): RunKwargs {
  const configurable = kwargs.config.configurable as JsonObject | undefined
  if (!configurable || !(AUTH_USER_KEY in configurable)) return kwargs
  const { [AUTH_USER_KEY]: _, ...rest } = configurable
  return { ...kwargs, config: { ...kwargs.config, configurable: rest } }
}

/** Part of the transaction that ends the run. The run may have been removed by now. */
export async function forgetUser(tx: AgentStore, { run_id, kwargs }: QueuedRun): Promise<void> {
  const kept = withoutUser(kwargs)
  if (kept !== kwargs) await tx.runs.setKwargs(run_id, kept)
}
