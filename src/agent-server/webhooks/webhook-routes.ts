/** The operations on webhook deliveries and on the deployment's webhooks, and their verbs. */
import { randomUUID } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import { type Caller, isDeveloper } from '../../core/agent/authorization.ts'
import {
  DELIVERY_ATTEMPTS,
  DELIVERY_STATUSES,
  type DeliveryQuery,
  type QueuedDelivery,
  type WebhookDelivery,
} from '../../core/agent/webhook.ts'
import { timestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { parseJson } from '../../core/exact-json.ts'
import { answerOf } from '../../http/answer.ts'
import { filterOfSeen } from '../access/project-auth.ts'
import type { Parts } from '../agent-server-parts.ts'
import { given } from '../operations/given.ts'
import { UuidSchema } from '../operations/ids.ts'
import { JsonObjectSchema } from '../operations/json.ts'
import { OffsetSchema } from '../operations/query.ts'
import { body, createRoutes, json, operationsOf } from '../operations/route.ts'

const moment = () => z.string().openapi({ format: 'date-time' })

const WebhookDeliverySchema = z
  .object({
    delivery_id: z.string().openapi({
      format: 'uuid',
      description: 'Sent as `webhook-id`, the same with every attempt.',
    }),
    run_id: z.string().openapi({ format: 'uuid' }),
    thread_id: z.string().openapi({ format: 'uuid' }),
    url: z.string(),
    status: z.enum(DELIVERY_STATUSES),
    created_at: moment(),
    updated_at: moment(),
    attempt: z.int().openapi({ description: 'How often it was tried.' }),
    next_attempt_at: moment()
      .nullable()
      .openapi({ description: 'null: it is not sent by itself any more.' }),
    response_status: z
      .int()
      .nullable()
      .openapi({ description: 'Of the latest answer; null: none was received.' }),
    error: z
      .string()
      .nullable()
      .openapi({ description: 'Why the latest attempt did not deliver it.' }),
  })
  .openapi('WebhookDelivery')

const WebhookDeliveryWithPayloadSchema = WebhookDeliverySchema.extend({
  payload: JsonObjectSchema.openapi({
    description: 'The body, but for `webhook_sent_at`, which each attempt adds.',
  }),
}).openapi('WebhookDeliveryWithPayload')

const DeliveryListQuerySchema = z.object({
  run_id: UuidSchema.optional(),
  thread_id: UuidSchema.optional(),
  status: z.enum(DELIVERY_STATUSES).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(10),
  offset: OffsetSchema,
})

const WebhookTestRequestSchema = z
  .object({ url: z.string().max(2048).openapi({ description: 'Of a webhook of the deployment.' }) })
  .openapi('WebhookTestRequest')

const WebhookTestSchema = z
  .object({
    url: z.string(),
    delivery_id: z.string().openapi({ format: 'uuid', description: 'Sent as `webhook-id`.' }),
    sent_at: moment(),
    duration_ms: z.int(),
    response_status: z.int().nullable().openapi({ description: 'null: there was no answer.' }),
    error: z.string().nullable().openapi({ description: 'Why it failed; null: it was taken.' }),
  })
  .openapi('WebhookTest')

const FOR_DEVELOPERS =
  "Callers whom the project's own auth has let in do not find deliveries to the deployment's own webhooks, unless " +
  "they are Studio's."

const DeliveryPathSchema = z.object({ delivery_id: UuidSchema })

const operation = operationsOf('Webhooks')

const list = operation('get', '/webhooks/deliveries', {
  id: 'list_webhook_deliveries',
  summary: 'A page of the webhook deliveries, the latest first',
  description: FOR_DEVELOPERS,
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

/** An operation of Runyard only. */
const test = operation('post', '/webhooks/test', {
  id: 'test_webhook',
  summary: "Send a signed test message to one of the deployment's webhooks, once",
  description:
    "Callers whom the project's own auth has let in are refused (403), unless they are Studio's.",
  request: { body: body(WebhookTestRequestSchema) },
  answers: { 200: json(WebhookTestSchema, 'What became of it') },
  refusals: [404, 409],
})

export function webhookDeliveryRoutes(parts: Parts) {
  const routes = createRoutes()
  const testing = new Set<string>()
  routes.openapi(list, async (c) => {
    const { limit, offset, ...query } = c.req.valid('query')
    const page = { limit, offset }
    const deliveries = await listDeliveries(parts, c.get('caller'), given(query), page)
    return c.json(deliveries.map(onWire), 200)
  })
  routes.openapi(get, async (c) => {
    const { delivery_id } = c.req.valid('param')
    const delivery = await requireDelivery(parts, c.get('caller'), 'read', delivery_id)
    return c.json({ ...onWire(delivery), payload: parseJson(delivery.payload) }, 200)
  })
  routes.openapi(again, async (c) => {
    const { delivery_id } = c.req.valid('param')
    return c.json(onWire(await redeliver(parts, c.get('caller'), delivery_id)), 200)
  })
  routes.openapi(test, async (c) => {
    const { url } = c.req.valid('json')
    return c.json(await sendTest(parts, c.get('caller'), { url, testing }), 200)
  })
  return routes
}

function onWire(delivery: WebhookDelivery) {
  const { next_attempt_at: due } = delivery
  const next_attempt_at = due === null ? null : new Date(due).toISOString()
  return answerOf(WebhookDeliverySchema, delivery, { next_attempt_at })
}

/** The URLs to which the caller sees no deliveries: those of the deployment's webhooks may hold credentials. */
function hiddenUrls({ store }: Pick<Parts, 'store'>, caller: Caller): string[] {
  return isDeveloper(caller) ? [] : store.webhookDeliveries.standing.map(({ url }) => url)
}

/** The deliveries of runs on threads that the caller may see, the latest first. */
async function listDeliveries(
  parts: Parts,
  caller: Caller,
  query: Omit<DeliveryQuery, 'filter' | 'hidden_urls'>,
  page: { limit: number; offset: number },
): Promise<WebhookDelivery[]> {
  const filter = await filterOfSeen(parts, caller)
  const wanted = { ...query, ...(filter && { filter }), hidden_urls: hiddenUrls(parts, caller) }
  return parts.store.webhookDeliveries.search(wanted, page)
}

/**
 * Sends the delivery again, with the same id and body, and with as many attempts as a new one. A pending
 * delivery is sent at once. Throws `not_found`.
 */
async function redeliver(
  parts: Parts,
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

/** No run has this id. */
const NO_ID = '00000000-0000-0000-0000-000000000000'

/**
 * Sends a test to one of the deployment's webhooks, one at a time to each. Other URLs are refused, so that no caller
 * learns the project's headers. `testing`: URLs of the tests under way. Throws `forbidden` for users of the project's
 * own auth, `not_found`, `conflict`.
 */
async function sendTest(
  parts: Parts,
  caller: Caller,
  { url, testing }: { url: string; testing: Set<string> },
) {
  if (!isDeveloper(caller)) {
    const who = "Only the project's developers may test its webhooks, with an API key of its server"
    throw new AppError('forbidden', `${who} and the header "x-auth-scheme: langsmith".`)
  }
  const { standing } = parts.store.webhookDeliveries
  if (!standing.some((one) => one.url === url)) {
    const when = 'If it was just added, try again when its revision serves.'
    throw new AppError('not_found', `The deployment has no webhook with this URL. ${when}`)
  }
  if (testing.has(url)) {
    const why = 'A test message to this URL is under way. Try again when it has ended.'
    throw new AppError('conflict', why)
  }
  testing.add(url)
  try {
    return await postTest(parts, url)
  } finally {
    testing.delete(url)
  }
}

/** Sends a message in the form of a run's end. It is neither stored nor tried again. */
async function postTest({ webhooks, clock }: Parts, url: string) {
  const [delivery_id, sent_at, begun] = [randomUUID(), timestamp(clock), performance.now()]
  const times = { created_at: sent_at, run_started_at: sent_at, run_ended_at: sent_at }
  const end = { status: 'success', values: {}, error: null }
  const message = { is_test: true, run_id: NO_ID, thread_id: NO_ID, ...times, ...end }
  const payload = JSON.stringify(message)
  const result = await webhooks.sendOnce({ delivery_id, url, payload, headers: null })
  return {
    url,
    delivery_id,
    sent_at,
    duration_ms: Math.round(performance.now() - begun),
    ...result,
  }
}

/** Throws `not_found`. */
async function requireDelivery(
  parts: Parts,
  caller: Caller,
  action: 'read' | 'update',
  delivery_id: string,
): Promise<QueuedDelivery> {
  // The permission is checked first, so that callers without it do not learn which deliveries exist.
  const filter = await parts.authorize(caller, { resource: 'threads', action }, { delivery_id })
  const delivery = await parts.store.webhookDeliveries.get(delivery_id, filter)
  if (delivery && !hiddenUrls(parts, caller).includes(delivery.url)) return delivery
  throw notFound(delivery_id)
}

function notFound(delivery_id: string): AppError {
  return new AppError('not_found', `Webhook delivery ${delivery_id} not found.`)
}
