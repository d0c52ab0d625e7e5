/**
 * The user that a project's `authenticate` returned for a run's creator. The graph reads it from the config, on
 * any server that executes the run, so it is stored until the run is over. It may hold the user's own tokens: no
 * response shows it, and an ended run keeps only the identity and the permissions.
 */
import type { AgentStore } from '../../core/agent/agent-store.ts'
import { AUTH_USER_KEY } from '../../core/agent/authorization.ts'
import type { QueuedRun, RunKwargs } from '../../core/agent/run.ts'
import type { JsonObject } from '../../core/json.ts'

/** A copy without the user, or the same object if it has no user. */
export function withoutUser(kwargs: RunKwargs): RunKwargs {
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
