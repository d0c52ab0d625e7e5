/** Queues push notifications when a run ends. */
import type { AgentStore } from '../../core/agent/agent-store.ts'
import type { QueuedRun } from '../../core/agent/run.ts'
import type { WebhookEnd } from '../../core/agent/webhook.ts'
import { taskIdOf } from './task-id.ts'

/**
 * Queues the task's push notifications in the transaction that ends a run; the run may be deleted by now.
 * `false`: the task has no push configs. On `true`, wake the sender after the commit.
 */
export async function enqueuePushes(
  tx: AgentStore,
  run: QueuedRun,
  end: WebhookEnd,
  now: number,
): Promise<boolean> {
  const configs = await tx.pushConfigs.list(taskIdOf(run))
  if (configs.length === 0) return false
  // The import loads the protocol's library, and few runs have push configs.
  const { pushEnd } = await import('./push-configs.ts')
  await pushEnd(tx, configs, { ...run, updated_at: new Date(now).toISOString() }, end)
  return true
}
