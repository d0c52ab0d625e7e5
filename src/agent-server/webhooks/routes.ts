/** The operations on webhook deliveries. */
import { createRoute, z } from '@hono/zod-openapi'
import type { QueuedDelivery, WebhookDelivery } from '../../core/agent/webhook.ts'
import { parseJson } from '../../core/exact-json.ts'
import { createRoutes } from '../../http/app.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import { given } from '../operations/given.ts'
import { refusals } from '../operations/refusals.ts'
import type { Parts } from '../parts.ts'
import { getDelivery, listDeliveries, redeliver } from './deliveries.ts'
import {
  DeliveryListQuerySchema,
  DeliveryPathSchema,
  WebhookDeliverySchema,
  WebhookDeliveryWithPayloadSchema,
} from './schemas.ts'

const answer = <T extends z.ZodType>(description: string, schema: T) => ({
  description,
  content: { 'application/json': { schema } },
})

const list = createRoute({
  method: 'get',
  path: '/webhooks/deliveries',
  operationId: 'list_webhook_deliveries',
  tags: ['Webhooks'],
  summary: 'A page of the webhook deliveries, the latest first',
  request: { query: DeliveryListQuerySchema },
  responses: { 200: answer('Deliveries', z.array(WebhookDeliverySchema)), ...refusals(422) },
})

const get = createRoute({
  method: 'get',
  path: '/webhooks/deliveries/{delivery_id}',
  operationId: 'get_webhook_delivery',
  tags: ['Webhooks'],
  summary: 'A webhook delivery with what it says',
  request: { params: DeliveryPathSchema },
  responses: {
    200: answer('Delivery', WebhookDeliveryWithPayloadSchema),
    ...refusals(404, 422),
  },
})

const again = createRoute({
  method: 'post',
  path: '/webhooks/deliveries/{delivery_id}/redeliver',
  operationId: 'redeliver_webhook',
  tags: ['Webhooks'],
  summary: 'Send a delivery again now, whatever has become of it, with the same id',
  request: { params: DeliveryPathSchema },
  responses: { 200: answer('Delivery', WebhookDeliverySchema), ...refusals(404, 422) },
})

export function webhookDeliveryRoutes(
  parts: Pick<Parts, 'store' | 'authorize' | 'webhooks' | 'clock'>,
) {
  const routes = createRoutes<AgentServerEnv>()
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

function onWire(delivery: WebhookDelivery | QueuedDelivery) {
  const { last_attempt, payload, headers, problem, origin, next_attempt_at, ...wire } =
    delivery as QueuedDelivery
  const due = next_attempt_at === null ? null : new Date(next_attempt_at).toISOString()
  return { ...wire, next_attempt_at: due }
}
