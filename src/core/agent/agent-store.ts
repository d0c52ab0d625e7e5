/** The agent server's database as one port. */

import type { Notices } from '../notices.ts'
import type { AssistantStore } from './assistant.ts'
import type { CheckpointStore } from './checkpoint.ts'
import type { CronStore } from './cron.ts'
import type { EventStore } from './event.ts'
import type { IdempotencyKeyStore } from './idempotency-key.ts'
import type { ItemStore } from './item.ts'
import type { PushConfigStore } from './push-config.ts'
import type { RunStore } from './run.ts'
import type { ServerStore } from './server.ts'
import type { ThreadStore } from './thread.ts'
import type { WebhookDeliveryStore } from './webhook.ts'

export interface AgentStore {
  assistants: AssistantStore
  threads: ThreadStore
  runs: RunStore
  events: EventStore
  checkpoints: CheckpointStore
  items: ItemStore
  crons: CronStore
  servers: ServerStore
  idempotencyKeys: IdempotencyKeyStore
  webhookDeliveries: WebhookDeliveryStore
  pushConfigs: PushConfigStore
  /** Within a transaction nothing can be told: it is not through. */
  notices: Notices
  /**
   * All or nothing. Only the store handed to `work` takes part; it must not be used afterwards.
   * May not be nested. `work` may be run again from the start, so it must change nothing else.
   *
   * Without `locks` it is as if no one else wrote meanwhile, and whoever collides begins again. What
   * is done often names what it decides about (`lockOf`): only those who name the same wait for each
   * other, and of all else it may see more from one step to the next.
   *
   * When the connection is lost while it is committed, nobody knows whether it was. Then `wasCommitted` is
   * asked, in a transaction of its own with the same locks and only once the other has ended, whether
   * what `work` has answered is there; if not, `work` is run again. Without it: `unavailable`.
   */
  transaction<T>(
    work: (store: AgentStore) => Promise<T>,
    locks?: readonly string[],
    wasCommitted?: (store: AgentStore, result: T) => Promise<boolean>,
  ): Promise<T>
  /** Answers when the database does. */
  ping(): Promise<void>
  /** Answers when the database has taken a write within the last second; throws `unavailable`. */
  checkWrites(): Promise<void>
  /** Whether what it writes to was removed under it: every operation is refused then, `unavailable`. */
  isGone(): boolean
  /** How much room the database takes, in bytes. */
  sizeBytes(): Promise<number>
  close(): Promise<void>
}

/** The name under which all who decide about this thread, assistant or key wait for each other. */
export function lockOf(noun: 'thread' | 'assistant' | 'idempotency key', id: string): string {
  return `${noun} ${id}`
}
