/** The agent server's database as one port. */

import type { Notices } from '../notices.ts'
import type { AssistantStore } from './assistant.ts'
import type { CheckpointStore } from './checkpoint.ts'
import type { CronStore } from './cron.ts'
import type { EventStore } from './event.ts'
import type { IdempotencyKeyStore } from './idempotency-key.ts'
import type { ItemStore } from './items/item.ts'
import type { PushConfigStore } from './push-config.ts'
import type { Lease, RunStore } from './run.ts'
import type { ServerStore } from './server/server.ts'
import type { ThreadStore } from './thread.ts'
import type { TimelineEntry } from './timeline/timeline.ts'
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
  /** A transaction sends none, since its writes may still be undone. */
  notices: Notices
  /**
   * Commits all of it or nothing. Only writes through the store that `work` gets take part. That store
   * must not be used afterwards, and transactions may not be nested. `work` may run again from the start,
   * so it must change nothing else.
   *
   * Without `locks` the transaction is serializable; on a collision it starts again. Frequent transactions lock what
   * they decide about (`lockOf`) instead: they wait only for transactions with the same lock, and may see other data
   * change between their steps.
   *
   * When the connection is lost during the commit, it is unknown whether the commit succeeded. Then, once the first
   * transaction has certainly ended, `wasCommitted` checks in its own transaction with the same locks whether the
   * result of `work` was stored. If not, `work` runs again. Without `wasCommitted` this throws `unavailable`.
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

/** The timelines of one database. They are removed with their runs. */
export interface TimelineStore {
  /** Adds to the timeline of a running run. `false`: the lease was lost, and nothing was added. */
  add(lease: Lease, entry: TimelineEntry, created_at: number): Promise<boolean>
  /** In the order added; the entry of the run's end comes last. */
  read(run_id: string): Promise<TimelineEntry[]>
  /**
   * Removes entries from before `before` (ms since 1970), 1,000 at most. A short entry of a run's end stays with its
   * run, and so does the excerpt of a long one. Returns how many.
   */
  expire(before: number): Promise<number>
}
