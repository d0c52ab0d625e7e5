/** The thread-centred protocol on the wire. */
import { z } from '@hono/zod-openapi'
import { CHANNELS, isChannel, PROTOCOL_ERROR_CODES } from '../../core/agent/protocol.ts'
import { JsonObjectSchema, JsonValueSchema, optional } from '../operations/json.ts'

const names = CHANNELS.join(', ')

const ChannelSchema = z
  .string()
  .refine(isChannel, `A channel is one of ${names}, or custom:<name>.`)
  .openapi({ description: `One of ${names}, or \`custom:<name>\`.`, example: 'messages' })

/** The filter of a subscription. Other fields are ignored. */
export const SubscribeSchema = z
  .object({
    channels: z.array(ChannelSchema).min(1),
    namespaces: optional(z.array(z.array(z.string()))).openapi({
      description:
        'Only events of these namespaces and of those below them. `child` stands for every ' +
        '`child:<task>`. Absent or empty: of all.',
    }),
    depth: optional(z.int().min(0)).openapi({
      description: 'How many levels below such a namespace, or below the root. Absent: any.',
    }),
    since: optional(z.int().min(0)).openapi({
      description: 'Only events with a `seq` greater than this. Absent: all that are kept.',
    }),
  })
  .openapi('EventStreamRequest')

/** Only for the OpenAPI document: `parseCommand` decodes commands. */
export const CommandEnvelopeSchema = JsonValueSchema.openapi('ProtocolCommand', {
  type: 'object',
  required: ['id', 'method'],
  properties: {
    id: { type: 'integer', minimum: 0 },
    method: { type: 'string', example: 'run.start' },
    params: { type: 'object', additionalProperties: true },
  },
})

export const CommandAnswerSchema = z
  .union([
    z.object({
      type: z.literal('success'),
      id: z.int(),
      result: JsonObjectSchema,
      meta: z.object({ thread_id: z.string(), applied_through_seq: z.int() }),
    }),
    z.object({
      type: z.literal('error'),
      id: z.int().nullable(),
      error: z.enum(PROTOCOL_ERROR_CODES),
      message: z.string(),
    }),
  ])
  .openapi('ProtocolAnswer')
