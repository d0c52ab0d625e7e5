/** The agent server's database. Each noun has a file; they are put together here. */
import type { AgentStore } from '../../core/agent/agent-store.ts'
import type { StandingWebhook } from '../../core/agent/webhook.ts'
import { AppError } from '../../core/errors.ts'
import { noNotices } from '../../core/notices.ts'
import type { CredentialBox } from '../../core/secret-box.ts'
import { createCheckpointStore } from '../checkpoints/table.ts'
import type { Db } from '../db/db.ts'
import { createWriteCheck } from '../db/write-check.ts'
import { createEventStore } from '../events/table.ts'
import { createItemStore } from '../items/table.ts'
import { initial } from '../migrations/agent-server/0016-initial.ts'
import { type Migration, migrate } from '../migrations/migrate.ts'
import { openDb, openNotices } from '../open-db.ts'
import { createAssistantStore } from './assistants.ts'
import { createCronStore } from './crons.ts'
import { createIdempotencyKeyStore } from './idempotency-keys.ts'
import { createPushConfigStore } from './push-configs.ts'
import { createRunStore } from './runs.ts'
import { createServerStore } from './servers.ts'
import { createThreadStore } from './threads.ts'
import { createTimelineStore } from './timelines.ts'
import { createWebhookDeliveryStore } from './webhook-deliveries.ts'

/** The schema of the tables on PostgreSQL, unless the URL names another. */
export const DEFAULT_SCHEMA = 'runyard_agent'

/** In order. A change of the schema is a new migration at the end. */
export const AGENT_SERVER_MIGRATIONS: readonly Migration[] = [initial]

interface StoreOptions {
  /** Encrypts credentials; absent: they are stored as they are. */
  box?: CredentialBox | undefined
  /** Of a run. Default `MAX_RUN_ATTEMPTS`. */
  maxAttempts?: number | undefined
  /** The deployment's webhooks. Default: none. */
  standingWebhooks?: readonly StandingWebhook[]
}

/**
 * Opens a database and migrates it. `where` is a `postgres://` URL, a file (made if missing; `:memory:`
 * is not kept), or an open database. `close` closes it. Throws `conflict` when the database is newer than this code.
 */
export async function openAgentStore(
  where: string | Db,
  options: StoreOptions = {},
): Promise<AgentStore> {
  const db = typeof where === 'string' ? await openDb(where, DEFAULT_SCHEMA) : where
  try {
    await migrate(db, AGENT_SERVER_MIGRATIONS)
  } catch (error) {
    await db.close()
    throw error
  }
  const isOwn = typeof where === 'string'
  const notices = isOwn ? await openNotices(where, DEFAULT_SCHEMA) : noNotices
  const parts = (one: Db) => createParts(one, options)
  return {
    ...parts(db),
    notices,
    transaction: (work, locks, wasCommitted) =>
      db.transaction(
        (tx) => work(createTransactionStore(parts(tx))),
        locks,
        wasCommitted && ((tx, result) => wasCommitted(createTransactionStore(parts(tx)), result)),
      ),
    async close() {
      await notices.close()
      await db.close()
    },
  }
}

type StoreParts = ReturnType<typeof createParts>

function createTransactionStore(parts: StoreParts): AgentStore {
  const refuse = async () => {
    throw new AppError(
      'internal',
      'A transaction cannot be nested or closed: it ends with its work.',
    )
  }
  return { ...parts, notices: noNotices, transaction: refuse, close: refuse }
}

function createParts(
  db: Db,
  { box, maxAttempts, standingWebhooks }: StoreOptions,
): Omit<AgentStore, 'notices' | 'transaction' | 'close'> {
  return {
    assistants: createAssistantStore(db),
    threads: createThreadStore(db),
    runs: createRunStore(db, maxAttempts),
    timelines: createTimelineStore(db),
    events: createEventStore(db),
    checkpoints: createCheckpointStore(db),
    items: createItemStore(db),
    crons: createCronStore(db),
    servers: createServerStore(db),
    idempotencyKeys: createIdempotencyKeyStore(db),
    webhookDeliveries: createWebhookDeliveryStore(db, box, standingWebhooks),
    pushConfigs: createPushConfigStore(db, box),
    ping: async () => {
      await db.get('SELECT 1')
    },
    checkWrites: createWriteCheck(db),
    isGone: () => db.isGone,
    sizeBytes: () => db.sizeBytes(),
  }
}
