/** What the end of a run has for the push configs of its task. */
import type { AgentStore } from '../../core/agent/agent-store.ts'
import type { QueuedRun } from '../../core/agent/run.ts'
import type { WebhookEnd } from '../../core/agent/webhook.ts'
import { taskIdOf } from './task-id.ts'

/**
 * Part of the transaction that ends a run, which may be gone by now: what is to be told of its task.
 * `false`: nobody wants to know. The sender is to be woken after the commit.
 */
export async function enqueuePushes(
  tx: AgentStore,
  run: QueuedRun,
  end: WebhookEnd,
  now: number,
): Promise<boolean> {
  const configs = await tx.pushConfigs.list(taskIdOf(run))
  if (configs.length === 0) return false
  // It has the protocol's library with it, and few runs have such configs.
  const { pushEnd } = await import('./push-configs.ts')
  await pushEnd(tx, configs, { ...run, updated_at: new Date(now).toISOString() }, end)
  return true
}
