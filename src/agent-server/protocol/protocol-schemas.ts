/** The thread-centred protocol on the wire, and what its commands take. */
import { z } from '@hono/zod-openapi'
import type { Caller } from '../../core/agent/authorization.ts'
import { MULTITASK_STRATEGIES } from '../../core/agent/multitask-strategy.ts'
import { CHANNELS, isChannel, PROTOCOL_ERROR_CODES } from '../../core/agent/protocol.ts'
import type { JsonValue } from '../../core/json.ts'
import type { Parts } from '../agent-server-parts.ts'
import { ConfigSchema } from '../assistants/assistant-schemas.ts'
import { AssistantIdSchema, UuidSchema } from '../operations/ids.ts'
import { JsonObjectSchema, JsonValueSchema, optional } from '../operations/json.ts'
import { CommandSchema } from '../runs/run-schemas.ts'
import { ProtocolError } from './protocol-error.ts'

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

/** The caller of a command, and its thread. */
export interface CommandContext {
  parts: Parts
  caller: Caller
  thread_id: string
}

const NamespaceSchema = z.array(z.string())
const StrategySchema = optional(z.enum(MULTITASK_STRATEGIES))

const ofRun = {
  config: optional(ConfigSchema),
  metadata: optional(JsonObjectSchema),
}

/** JavaScript clients send `multitaskStrategy`. */
export const RunStartSchema = z.object({
  assistant_id: AssistantIdSchema,
  input: JsonValueSchema.optional(),
  multitaskStrategy: StrategySchema,
  multitask_strategy: StrategySchema,
  langsmith_tracer: optional(JsonObjectSchema),
  ...ofRun,
})

const ResponseSchema = z.object({
  interrupt_id: z.string().min(1),
  namespace: optional(NamespaceSchema),
  response: JsonValueSchema.optional(),
})

export const InputRespondSchema = z
  .object({
    responses: optional(z.array(ResponseSchema).min(1)),
    interrupt_id: optional(z.string().min(1)),
    namespace: optional(NamespaceSchema),
    response: JsonValueSchema.optional(),
    update: CommandSchema.in.shape.update,
    goto: CommandSchema.in.shape.goto,
    strict_resume: optional(z.boolean()),
    ...ofRun,
  })
  .refine(({ responses, interrupt_id }) => responses || interrupt_id, {
    error: 'Give an interrupt_id with its response, or responses.',
  })

export const InputInjectSchema = z.object({
  namespace: optional(NamespaceSchema),
  message: z.looseObject({
    role: z.enum(['user', 'system']),
    content: z.string(),
    name: optional(z.string()),
  }),
})

export const StateGetSchema = z.object({
  namespace: optional(NamespaceSchema),
  keys: optional(z.array(z.string())),
})

export const ListCheckpointsSchema = z.object({
  namespace: optional(NamespaceSchema),
  limit: optional(z.int().min(1).max(1000)),
  before: optional(z.string().min(1)),
})

export const StateForkSchema = z.object({
  checkpoint_id: z.string().min(1),
  input: JsonValueSchema.optional(),
  config: optional(ConfigSchema),
})

export const GetTreeSchema = z.object({ run_id: optional(UuidSchema) })

export const UnsubscribeSchema = z.object({ subscription_id: z.string().min(1) })

export const ReconnectSchema = z.object({
  run_id: UuidSchema,
  last_event_id: optional(
    z.string().regex(/^\d{1,15}$/, 'An event_id is a number, as it came with the event.'),
  ),
  subscriptions: optional(z.array(z.string().max(65_536)).max(1_000)),
})

/** Throws `invalid_argument`, naming the field. */
export function readParams<S extends z.ZodType>(
  method: string,
  schema: S,
  params: JsonValue,
): z.output<S> {
  const read = schema.safeParse(params)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const field = issue?.path.length ? ` ${issue.path.join('.')}:` : ''
  throw new ProtocolError('invalid_argument', `${method}:${field} ${issue?.message}`)
}
