/**
 * Finds circles: a run's graph waits for another run that can only start after it, because it is on the same thread,
 * directly or through runs in between. Neither would ever end.
 */
import type { Context } from 'hono'
import type { AgentStore } from '../../core/agent/agent-store.ts'
import { isTerminal } from '../../core/agent/run.ts'
import { AppError } from '../../core/errors.ts'
import { isObject, type JsonValue } from '../../core/json.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import { UuidSchema } from '../operations/ids.ts'

/**
 * The run whose graph sends the request. `configurable`: the one in the request. A `RemoteGraph` passes its caller's
 * `configurable` on, ids included; clients inside a project are identified by their connection.
 */
export function askingRun(
  c: Context<AgentServerEnv>,
  configurable?: JsonValue,
): string | undefined {
  const given = isObject(configurable) ? configurable.run_id : undefined
  return c.env?.runId ?? UuidSchema.safeParse(given).data
}

/**
 * Throws `conflict` if `run_id`, or a run that waits for it, is on the thread: a new run there would wait for the run
 * that waits for it.
 */
export async function refuseCircle(
  { runs }: Pick<AgentStore, 'runs'>,
  thread_id: string,
  run_id: string | undefined,
): Promise<void> {
  for (let asking = run_id; asking !== undefined; ) {
    const run = await runs.get(asking)
    if (!run || isTerminal(run.status)) return
    if (run.thread_id === thread_id) {
      throw new AppError(
        'conflict',
        `Run ${asking} of this thread waits for this request, and a thread's runs wait for each other: neither would end. Use another thread, or add the run without waiting for it.`,
      )
    }
    asking = run.origin?.waiting_run_id
  }
}
