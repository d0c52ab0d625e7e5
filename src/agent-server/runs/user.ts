/**
 * What a project's `authenticate` said of who made a run. Its graph finds it in the config, here or on
 * whichever server takes the run up, so that it is kept until the run is over. It may hold the user's own
 * tokens: no answer shows it, and an ended run keeps the identity and the permissions only.
 */
import type { AgentStore } from '../../core/agent/agent-store.ts'
import { AUTH_USER_KEY } from '../../core/agent/authorization.ts'
import type { QueuedRun, RunKwargs } from '../../core/agent/run.ts'
import type { JsonObject } from '../../core/json.ts'

/** A copy without the user, or the same object where there is none. */
export function withoutUser(kwargs: RunKwargs): RunKwargs {
  const configurable = kwargs.config.configurable as JsonObject | undefined
  if (!configurable || !(AUTH_USER_KEY in configurable)) return kwargs
  const { [AUTH_USER_KEY]: _, ...rest } = configurable
  return { ...kwargs, config: { ...kwargs.config, configurable: rest } }
}

/** Part of the transaction that ends the run, which may be gone by now. */
export async function forgetUser(tx: AgentStore, { run_id, kwargs }: QueuedRun): Promise<void> {
  const kept = withoutUser(kwargs)
  if (kept !== kwargs) await tx.runs.setKwargs(run_id, kept)
}
