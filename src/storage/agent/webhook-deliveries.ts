/**
 * The `webhook_deliveries` table. `core/agent/webhook.ts` has the states. A delivery's own headers are encrypted; if
 * they are unknown, `{"problem": …}` is stored instead.
 */
import type {
  DeliveryQuery,
  NewDelivery,
  QueuedDelivery,
  StandingWebhook,
  WebhookDeliveryStore,
} from '../../core/agent/webhook.ts'
import { AppError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { CredentialBox } from '../../core/secret-box.ts'
import type { Db, SqlValue } from '../db/db.ts'
import { table } from '../db/table.ts'
import { openMembers, PLACES, sealMembers } from './credentials.ts'
import { metadataConditions } from './metadata-condition.ts'

const WIRE_COLUMNS = `delivery_id, run_id, thread_id, url, status, created_at, updated_at, attempt,
  next_attempt_at, response_status, error`

/** Statements search `metadata`. */
type StoredDelivery = Omit<QueuedDelivery, 'headers' | 'problem'> & {
  headers: JsonObject | null
  metadata?: JsonObject
}

const DELIVERIES = table<StoredDelivery>(
  'webhook_deliveries',
  `${WIRE_COLUMNS}, last_attempt, payload, headers, origin`,
  { json: ['headers', 'origin', 'metadata'], unread: ['metadata'] },
)

// A delivery that another server is just claiming is skipped.
const claimSql = ({ rowLocks }: Db) => `
UPDATE webhook_deliveries
SET attempt = attempt + 1, next_attempt_at = $2
WHERE delivery_id = (
  SELECT delivery_id FROM webhook_deliveries
  WHERE status = 'pending' AND next_attempt_at <= $1
  ORDER BY next_attempt_at LIMIT 1${rowLocks.skip}
)
RETURNING ${DELIVERIES.columns}`

const SETTLE = `
UPDATE webhook_deliveries
SET status = $3, next_attempt_at = $4, response_status = $5, error = $6, updated_at = $7
WHERE delivery_id = $1 AND attempt = $2 AND status = 'pending'`

const REDELIVER = `
UPDATE webhook_deliveries
SET status = 'pending', next_attempt_at = $2, last_attempt = attempt + $3
WHERE delivery_id = $1`

const NEXT_DUE = `
SELECT min(next_attempt_at) AS due FROM webhook_deliveries WHERE status = 'pending'`

const COUNT_PENDING = `
SELECT count(*) AS count FROM webhook_deliveries WHERE status = 'pending'`

const EXPIRE = `DELETE FROM webhook_deliveries WHERE status <> 'pending' AND updated_at < $1`

export function createWebhookDeliveryStore(
  db: Db,
  box?: CredentialBox,
  standing: readonly StandingWebhook[] = [],
): WebhookDeliveryStore {
  const deliveries = DELIVERIES.on(db)
  return {
    standing,
    insert: (delivery) =>
      deliveries.add({
        ...{ ...delivery, headers: storedHeaders(delivery, box) },
        ...{ status: 'pending', updated_at: delivery.created_at, attempt: 0, next_attempt_at: 0 },
        ...{ response_status: null, error: null },
      }),
    async get(delivery_id, filter) {
      const params: SqlValue[] = [delivery_id]
      const wanted = filter ? { filter } : {}
      const conditions = ['delivery_id = $1', ...metadataConditions(db.json, wanted, params)]
      const sql = `SELECT ${DELIVERIES.columns} FROM webhook_deliveries WHERE ${conditions.join(' AND ')}`
      const stored = await deliveries.get(sql, params)
      return stored && opened(stored, box)
    },
    async search(query, { limit, offset }) {
      const params: SqlValue[] = []
      const sql = `
        SELECT ${WIRE_COLUMNS} FROM webhook_deliveries WHERE ${conditionsOf(db, query, params)}
        ORDER BY created_at DESC, delivery_id DESC
        LIMIT $${params.push(limit)} OFFSET $${params.push(offset)}`
      return deliveries.all(sql, params)
    },
    async claim({ now, again_at }) {
      const stored = await deliveries.get(claimSql(db), [now, again_at])
      return stored && opened(stored, box)
    },
    async settle({ delivery_id, attempt }, result) {
      const { status, response_status, error, updated_at } = result
      const nextAttemptAt = result.status === 'pending' ? result.next_attempt_at : null
      const values = [status, nextAttemptAt, response_status, error, updated_at]
      return (await db.run(SETTLE, [delivery_id, attempt, ...values])) === 1
    },
    async redeliver(delivery_id, { now, attempts }) {
      return (await db.run(REDELIVER, [delivery_id, now, attempts])) === 1
    },
    async nextDue() {
      const row = await db.get<{ due: number | null }>(NEXT_DUE)
      return row?.due ?? undefined
    },
    async countPending() {
      const row = await db.get<{ count: number }>(COUNT_PENDING)
      return Number(row?.count ?? 0)
    },
    expire: (before) => db.run(EXPIRE, [before]),
  }
}

function conditionsOf(db: Db, query: DeliveryQuery, params: SqlValue[]): string {
  const { filter, hidden_urls = [], ...columns } = query
  const equal = Object.entries(columns).flatMap(([column, value]) =>
    value === undefined ? [] : [`${column} = $${params.push(value)}`],
  )
  const shown = hidden_urls.map((url) => `url <> $${params.push(url)}`)
  const visible = metadataConditions(db.json, filter ? { filter } : {}, params)
  return ['1 = 1', ...equal, ...shown, ...visible].join(' AND ')
}

/** A JSON object; `null`: it is a webhook. */
function storedHeaders(
  { delivery_id, headers, problem }: NewDelivery,
  box: CredentialBox | undefined,
): JsonObject | null {
  if (problem !== undefined) return { problem }
  if (!headers) return null
  const isSecret = (name: string) => name !== 'content-type'
  try {
    return sealMembers(box, headers, { isSecret, place: PLACES.delivery(delivery_id) })
  } catch (error) {
    // The run has to end all the same.
    if (error instanceof AppError) return { problem: error.message }
    throw error
  }
}

function opened(
  { headers, ...delivery }: StoredDelivery,
  box: CredentialBox | undefined,
): QueuedDelivery {
  if (!headers) return { ...delivery, headers, problem: null }
  const { value, problem } = openMembers(box, headers, PLACES.delivery(delivery.delivery_id))
  const { problem: known = null, ...rest } = value as Record<string, string>
  return { ...delivery, headers: rest, problem: problem ?? known }
}
