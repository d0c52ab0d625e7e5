/** The agent server's database as one port. */
import type { AssistantStore } from './assistant.ts'
import type { CheckpointStore } from './checkpoint.ts'
import type { EventStore } from './event.ts'
import type { IdempotencyKeyStore } from './idempotency-key.ts'
import type { ItemStore } from './item.ts'
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
  servers: ServerStore
  idempotencyKeys: IdempotencyKeyStore
  webhookDeliveries: WebhookDeliveryStore
  /**
   * All or nothing. Only the store handed to `work` takes part; it must not be used afterwards.
   * May not be nested.
   */
  transaction<T>(work: (store: AgentStore) => Promise<T>): Promise<T>
  /** Answers when the database does. */
  ping(): Promise<void>
  close(): Promise<void>
}
