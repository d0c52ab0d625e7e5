/**
 * The `webhook_deliveries` table. `core/agent/webhook.ts` has the states. A delivery's own headers are encrypted; if
 * they are unknown, `{"problem": …}` is stored instead.
 */
import type {
  DeliveryQuery,
  NewDelivery,
  QueuedDelivery,
  WebhookDelivery,
  WebhookDeliveryStore,
} from '../../core/agent/webhook.ts'
import { AppError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { CredentialBox } from '../../core/secret-box.ts'
import type { Db, SqlValue } from '../db/db.ts'
import { decodeRow, encodeJson } from '../db/json-columns.ts'
import { openMembers, PLACES, sealMembers } from './credentials.ts'
import { metadataConditions } from './metadata-condition.ts'

const WIRE_COLUMNS = `delivery_id, run_id, thread_id, url, status, created_at, updated_at, attempt,
  next_attempt_at, response_status, error`
const COLUMNS = `${WIRE_COLUMNS}, last_attempt, payload, headers, origin`

const INSERT = `
INSERT INTO webhook_deliveries (delivery_id, run_id, thread_id, url, status, created_at, updated_at,
  attempt, last_attempt, next_attempt_at, payload, metadata, origin, headers)
VALUES ($1, $2, $3, $4, 'pending', $5, $5, 0, $6, 0, $7, $8, $9, $10)`

// A delivery that another server is just claiming is skipped.
const claimSql = ({ rowLocks }: Db) => `
UPDATE webhook_deliveries
SET attempt = attempt + 1, next_attempt_at = $2
WHERE delivery_id = (
  SELECT delivery_id FROM webhook_deliveries
  WHERE status = 'pending' AND next_attempt_at <= $1
  ORDER BY next_attempt_at LIMIT 1${rowLocks.skip}
)
RETURNING ${COLUMNS}`

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

export function createWebhookDeliveryStore(db: Db, box?: CredentialBox): WebhookDeliveryStore {
  return {
    async insert(delivery) {
      const { delivery_id, run_id, thread_id, url, created_at, last_attempt, payload } = delivery
      await db.run(INSERT, [
        ...[delivery_id, run_id, thread_id, url, created_at, last_attempt, payload],
        encodeJson(delivery.metadata),
        encodeJson(delivery.origin),
        encodeJson(storedHeaders(delivery, box)),
      ])
    },
    async get(delivery_id, filter) {
      const params: SqlValue[] = [delivery_id]
      const wanted = filter ? { filter } : {}
      const conditions = ['delivery_id = $1', ...metadataConditions(db.json, wanted, params)]
      const sql = `SELECT ${COLUMNS} FROM webhook_deliveries WHERE ${conditions.join(' AND ')}`
      const row = await db.get(sql, params)
      return row && toDelivery(row, box)
    },
    async search(query, { limit, offset }) {
      const params: SqlValue[] = []
      const sql = `
        SELECT ${WIRE_COLUMNS} FROM webhook_deliveries WHERE ${conditionsOf(db, query, params)}
        ORDER BY created_at DESC, delivery_id DESC
        LIMIT $${params.push(limit)} OFFSET $${params.push(offset)}`
      const rows = await db.all(sql, params)
      return rows.map((row) => decodeRow<WebhookDelivery>(row, []))
    },
    async claim({ now, again_at }) {
      const row = await db.get(claimSql(db), [now, again_at])
      return row && toDelivery(row, box)
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
  const { filter, ...columns } = query
  const equal = Object.entries(columns).flatMap(([column, value]) =>
    value === undefined ? [] : [`${column} = $${params.push(value)}`],
  )
  const visible = metadataConditions(db.json, filter ? { filter } : {}, params)
  return ['1 = 1', ...equal, ...visible].join(' AND ')
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

function toDelivery(row: object, box: CredentialBox | undefined): QueuedDelivery {
  const { headers, ...delivery } = decodeRow<QueuedDelivery>(row, ['headers', 'origin'])
  if (!headers) return { ...delivery, headers, problem: null }
  const { value, problem } = openMembers(box, headers, PLACES.delivery(delivery.delivery_id))
  const { problem: known = null, ...rest } = value as Record<string, string>
  return { ...delivery, headers: rest, problem: problem ?? known }
}
