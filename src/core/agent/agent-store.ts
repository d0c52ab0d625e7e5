/** The agent server's database as one port. */

import type { Notices } from '../notices.ts'
import type { AssistantStore } from './assistant.ts'
import type { CheckpointStore } from './checkpoint.ts'
import type { CronStore } from './cron.ts'
import type { EventStore } from './event.ts'
import type { IdempotencyKeyStore } from './idempotency-key.ts'
import type { ItemStore } from './items/item.ts'
import type { PushConfigStore } from './push-config.ts'
import type { RunStore } from './run.ts'
import type { ServerStore } from './server/server.ts'
import type { ThreadStore } from './thread.ts'
import type { TimelineStore } from './timeline/store.ts'
import type { WebhookDeliveryStore } from './webhook.ts'

export interface AgentStore {
  assistants: AssistantStore
  threads: ThreadStore
  runs: RunStore
  timelines: TimelineStore
  events: EventStore
  checkpoints: CheckpointStore
  items: ItemStore
  crons: CronStore
  servers: ServerStore
  idempotencyKeys: IdempotencyKeyStore
  webhookDeliveries: WebhookDeliveryStore
  pushConfigs: PushConfigStore
  /** In a transaction they reach nobody, since its writes may still be undone. */
  notices: Notices
  /**
   * Commits all of it or nothing. Only writes through the store that `work` gets take part. That store
   * must not be used afterwards, and transactions may not be nested. `work` may run again from the start,
   * so it must change nothing else.
   *
   * Without `locks` the transaction behaves as if nobody else wrote meanwhile; one that collides starts
   * again. Frequent transactions name what they decide about (`lockOf`) instead: only those with the same
   * lock wait for each other, and they may see other data change from one step to the next.
   *
   * When the connection is lost during the commit, nobody knows whether it succeeded. Then `wasCommitted`
   * is asked, in a transaction of its own with the same locks, once the first one has certainly ended: is
   * the result of `work` there? If not, `work` runs again. Without `wasCommitted` the answer is
   * `unavailable`.
   */
  transaction<T>(
    work: (store: AgentStore) => Promise<T>,
    locks?: readonly string[],
    wasCommitted?: (store: AgentStore, result: T) => Promise<boolean>,
  ): Promise<T>
  /** Settles when the database answers. */
  ping(): Promise<void>
  /** Settles when the database has taken a write within the last second. Throws `unavailable`. */
  checkWrites(): Promise<void>
  /**
   * Whether its database was removed while it was open. Then it refuses every operation with
   * `unavailable`.
   */
  isGone(): boolean
  /** The size of the database in bytes. */
  sizeBytes(): Promise<number>
  close(): Promise<void>
}

/** The name of the lock for decisions about this thread, assistant or key. */
export function lockOf(noun: 'thread' | 'assistant' | 'idempotency key', id: string): string {
  return `${noun} ${id}`
}
