/** The verbs that list, read and repeat webhook deliveries. */
import type { Caller } from '../../core/agent/authorization.ts'
import {
  DELIVERY_ATTEMPTS,
  type DeliveryQuery,
  type QueuedDelivery,
  type WebhookDelivery,
} from '../../core/agent/webhook.ts'
import { AppError } from '../../core/errors.ts'
import { filterOfSeen } from '../access/seen-threads.ts'
import type { Parts } from '../parts.ts'

/** The deliveries of runs on threads that the caller may see, the latest first. */
export async function listDeliveries(
  parts: Pick<Parts, 'store' | 'authorize'>,
  caller: Caller,
  query: Omit<DeliveryQuery, 'filter'>,
  page: { limit: number; offset: number },
): Promise<WebhookDelivery[]> {
  const filter = await filterOfSeen(parts, caller)
  return parts.store.webhookDeliveries.search({ ...query, ...(filter && { filter }) }, page)
}

/** Throws `not_found`. */
export async function getDelivery(
  parts: Pick<Parts, 'store' | 'authorize'>,
  caller: Caller,
  delivery_id: string,
): Promise<QueuedDelivery> {
  return requireDelivery(parts, caller, 'read', delivery_id)
}

/**
 * Sends the delivery again, with the same id and body, and with as many attempts as a new one. A pending
 * delivery is sent at once. Throws `not_found`.
 */
export async function redeliver(
  parts: Pick<Parts, 'store' | 'authorize' | 'webhooks' | 'clock'>,
  caller: Caller,
  delivery_id: string,
): Promise<QueuedDelivery> {
  await requireDelivery(parts, caller, 'update', delivery_id)
  const { store, clock, webhooks } = parts
  const more = { now: clock.now(), attempts: DELIVERY_ATTEMPTS }
  if (!(await store.webhookDeliveries.redeliver(delivery_id, more))) throw notFound(delivery_id)
  const delivery = await store.webhookDeliveries.get(delivery_id)
  if (!delivery) throw notFound(delivery_id)
  webhooks.wake()
  return delivery
}

async function requireDelivery(
  { store, authorize }: Pick<Parts, 'store' | 'authorize'>,
  caller: Caller,
  action: 'read' | 'update',
  delivery_id: string,
): Promise<QueuedDelivery> {
  // The permission is checked first, so that callers without it do not learn which deliveries exist.
  const filter = await authorize(caller, { resource: 'threads', action }, { delivery_id })
  const delivery = await store.webhookDeliveries.get(delivery_id, filter)
  if (delivery) return delivery
  throw notFound(delivery_id)
}

function notFound(delivery_id: string): AppError {
  return new AppError('not_found', `Webhook delivery ${delivery_id} not found.`)
}
