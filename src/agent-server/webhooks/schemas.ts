/** Webhook deliveries on the wire. */
import { z } from '@hono/zod-openapi'
import { DELIVERY_STATUSES } from '../../core/agent/webhook.ts'
import { UuidSchema } from '../operations/ids.ts'
import { JsonObjectSchema } from '../operations/json.ts'
import { OffsetSchema } from '../operations/query.ts'

const timestamp = () => z.string().openapi({ format: 'date-time' })

export const WebhookDeliverySchema = z
  .object({
    delivery_id: z.string().openapi({
      format: 'uuid',
      description: 'Sent as `webhook-id`, the same with every attempt.',
    }),
    run_id: z.string().openapi({ format: 'uuid' }),
    thread_id: z.string().openapi({ format: 'uuid' }),
    url: z.string(),
    status: z.enum(DELIVERY_STATUSES),
    created_at: timestamp(),
    updated_at: timestamp(),
    attempt: z.int().openapi({ description: 'How often it was tried.' }),
    next_attempt_at: timestamp()
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

export const WebhookDeliveryWithPayloadSchema = WebhookDeliverySchema.extend({
  payload: JsonObjectSchema.openapi({
    description: 'The body, but for `webhook_sent_at`, which each attempt adds.',
  }),
}).openapi('WebhookDeliveryWithPayload')

export const DeliveryListQuerySchema = z.object({
  run_id: UuidSchema.optional(),
  thread_id: UuidSchema.optional(),
  status: z.enum(DELIVERY_STATUSES).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(10),
  offset: OffsetSchema,
})

export const DeliveryPathSchema = z.object({ delivery_id: UuidSchema })
