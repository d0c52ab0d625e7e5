/**
 * A run whose graph waits for another run that could only begin after it: on the same thread, directly or by runs in between.
 * Neither would ever end.
 */
import type { Context } from 'hono'
import type { AgentStore } from '../../core/agent/agent-store.ts'
import { isTerminal } from '../../core/agent/run.ts'
import { AppError } from '../../core/errors.ts'
import { isObject, type JsonValue } from '../../core/json.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import { UuidSchema } from '../operations/ids.ts'

/**
 * The run whose graph sends the request. `configurable`: what the request configures its run with. A `RemoteGraph` hands on
 * what its caller was configured with, ids included; clients inside a project are known by their connection.
 */
export function askingRun(
  c: Context<AgentServerEnv>,
  configurable?: JsonValue,
): string | undefined {
  const given = isObject(configurable) ? configurable.run_id : undefined
  return c.env?.runId ?? UuidSchema.safeParse(given).data
}

/**
 * Throws `conflict` where `run_id`, or a run that waits for it, holds the thread: what waits in the thread's line would wait
 * for the run that waits for it.
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
