/** The operations on webhook deliveries. */

import { z } from '@hono/zod-openapi'
import type { WebhookDelivery } from '../../core/agent/webhook.ts'
import { parseJson } from '../../core/exact-json.ts'
import { answerOf } from '../../http/answer.ts'
import { given } from '../operations/given.ts'
import { createRoutes, json, operationsOf } from '../operations/route.ts'
import type { Parts } from '../parts.ts'
import { getDelivery, listDeliveries, redeliver } from './deliveries.ts'
import {
  DeliveryListQuerySchema,
  DeliveryPathSchema,
  WebhookDeliverySchema,
  WebhookDeliveryWithPayloadSchema,
} from './schemas.ts'

const operation = operationsOf('Webhooks')

const list = operation('get', '/webhooks/deliveries', {
  id: 'list_webhook_deliveries',
  summary: 'A page of the webhook deliveries, the latest first',
  request: { query: DeliveryListQuerySchema },
  answers: { 200: json(z.array(WebhookDeliverySchema), 'Deliveries') },
})

const get = operation('get', '/webhooks/deliveries/{delivery_id}', {
  id: 'get_webhook_delivery',
  summary: 'A webhook delivery with what it says',
  request: { params: DeliveryPathSchema },
  answers: { 200: json(WebhookDeliveryWithPayloadSchema, 'Delivery') },
  refusals: [404],
})

const again = operation('post', '/webhooks/deliveries/{delivery_id}/redeliver', {
  id: 'redeliver_webhook',
  summary: 'Send a delivery again now, whatever has become of it, with the same id',
  request: { params: DeliveryPathSchema },
  answers: { 200: json(WebhookDeliverySchema, 'Delivery') },
  refusals: [404],
})

export function webhookDeliveryRoutes(
  parts: Pick<Parts, 'store' | 'authorize' | 'webhooks' | 'clock'>,
) {
  const routes = createRoutes()
  routes.openapi(list, async (c) => {
    const { limit, offset, ...query } = c.req.valid('query')
    const page = { limit, offset }
    const deliveries = await listDeliveries(parts, c.get('caller'), given(query), page)
    return c.json(deliveries.map(onWire), 200)
  })
  routes.openapi(get, async (c) => {
    const { delivery_id } = c.req.valid('param')
    const delivery = await getDelivery(parts, c.get('caller'), delivery_id)
    return c.json({ ...onWire(delivery), payload: parseJson(delivery.payload) }, 200)
  })
  routes.openapi(again, async (c) => {
    const { delivery_id } = c.req.valid('param')
    return c.json(onWire(await redeliver(parts, c.get('caller'), delivery_id)), 200)
  })
  return routes
}

function onWire(delivery: WebhookDelivery) {
  const { next_attempt_at: due } = delivery
  const next_attempt_at = due === null ? null : new Date(due).toISOString()
  return answerOf(WebhookDeliverySchema, delivery, { next_attempt_at })
}
