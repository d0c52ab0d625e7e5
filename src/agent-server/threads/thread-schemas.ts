/** Threads on the wire. */
import { z } from '@hono/zod-openapi'
import { THREAD_SORT_FIELDS, THREAD_STATUSES, TTL_STRATEGIES } from '../../core/agent/thread.ts'
import { UuidSchema } from '../operations/ids.ts'
import {
  InstantSchema,
  JsonObjectSchema,
  JsonValueSchema,
  NullableJsonObjectSchema,
  optional,
} from '../operations/json.ts'
import { pageFields, sortFields, TextSchema } from '../operations/pagination.ts'
import { queryList } from '../operations/query.ts'
import { CommandSchema, ExcerptSchema } from '../runs/run-schemas.ts'
import {
  EXTRACT_PATTERN,
  EXTRACT_ROOTS,
  type ExtractPath,
  MAX_PATH_LENGTH,
  parseExtractPath,
} from './extract.ts'

/** A hundred years, in minutes. */
const MAX_TTL_MINUTES = 100 * 366 * 1440

const MinutesSchema = z
  .number()
  .positive()
  .max(MAX_TTL_MINUTES)
  .openapi({ description: 'Minutes after the last change of the thread.' })

/** Minutes, or an object with minutes and the strategy. */
const TtlSchema = optional(
  z.union([
    MinutesSchema.transform((ttl) => ({ ttl, strategy: undefined })),
    z.object({
      ttl: MinutesSchema,
      strategy: optional(z.enum(TTL_STRATEGIES)).openapi({ default: 'delete' }),
    }),
  ]),
).transform((sent) => sent && { ttl_minutes: sent.ttl, strategy: sent.strategy ?? 'delete' })

/** An update of the state's values, applied as a node's output. */
export const StateValuesSchema = z
  .union([JsonObjectSchema, z.array(JsonValueSchema), z.null()])
  .openapi({ type: ['object', 'array', 'null'], items: {} })

const SuperstepUpdateSchema = z
  .object({
    values: StateValuesSchema.optional(),
    command: optional(CommandSchema),
    as_node: z.string(),
  })
  .openapi('ThreadSuperstepUpdate')

const SuperstepSchema = z.object({ updates: z.array(SuperstepUpdateSchema).min(1) })

/** `POST /threads`. Other fields are ignored. */
export const ThreadCreateSchema = z
  .object({
    thread_id: optional(UuidSchema),
    metadata: optional(JsonObjectSchema),
    if_exists: optional(z.enum(['raise', 'do_nothing'])).openapi({ default: 'raise' }),
    ttl: TtlSchema,
    supersteps: optional(z.array(SuperstepSchema)).openapi({
      description: 'The history to begin with; the metadata must name its `graph_id`.',
    }),
  })
  .openapi('ThreadCreate')

export const ThreadPatchSchema = z
  .object({
    metadata: optional(JsonObjectSchema).openapi({
      description: 'Merged into the present value, key by key.',
    }),
    ttl: TtlSchema,
  })
  .openapi('ThreadPatch')

export const InterruptSchema = z
  .object({
    id: z.string().optional(),
    value: JsonValueSchema,
    response_schema: JsonObjectSchema.optional().openapi({
      description: 'JSON Schema of the answer, where the graph gives one.',
    }),
  })
  .openapi('Interrupt')

const FIELDS = {
  thread_id: z.string().openapi({ format: 'uuid' }),
  created_at: z.string().openapi({ format: 'date-time' }),
  updated_at: z.string().openapi({ format: 'date-time' }),
  state_updated_at: z.string().openapi({ format: 'date-time' }),
  metadata: JsonObjectSchema,
  config: JsonObjectSchema,
  status: z.enum(THREAD_STATUSES),
  values: NullableJsonObjectSchema,
  interrupts: z.record(z.string(), z.array(InterruptSchema)),
  error: z.string().nullable(),
}

export const ThreadSchema = z
  .object({
    ...FIELDS,
    ttl: z
      .object({
        strategy: z.enum(TTL_STRATEGIES),
        ttl_minutes: z.number(),
        expires_at: z.string().openapi({ format: 'date-time' }),
      })
      .nullable()
      .optional()
      .openapi({ description: 'With `include=ttl`; `null`: the thread is kept for good.' }),
    excerpt: ExcerptSchema.optional(),
    extracted: JsonObjectSchema.optional().openapi({
      type: 'object',
      description: 'With `extract`: the value of each path, `null` where there is none.',
    }),
  })
  .openapi('Thread')

export const ThreadQuerySchema = z.object({ include: queryList(z.string()).optional() })

/** `return=minimal` asks for no body. */
export const PreferHeaderSchema = z.object({ prefer: z.string().optional() })

const CONTAINED = 'Contained in the thread: each key with its value, of objects and lists a part.'

const MAX_EXCLUDED = 100

const ExcludedSchema = JsonObjectSchema.refine(
  (one) => Object.keys(one).length > 0,
  'Expected at least one field: an empty object would exclude every thread.',
).openapi({ type: 'object', minProperties: 1 })

const ExcludeMetadataSchema = optional(
  z.union([ExcludedSchema, z.array(ExcludedSchema).min(1).max(MAX_EXCLUDED)]),
)
  .transform((given) => (given === undefined ? undefined : [given].flat()))
  .openapi({
    description:
      'Not threads whose metadata contain this object, or any object of this list. A thread that lacks the keys stays.',
  })

/**
 * `updated_after`, `updated_before` and `text` are Runyard's own. `updated_after` is inclusive, `updated_before` is
 * not.
 */
const QUERY_FIELDS = {
  metadata: optional(JsonObjectSchema).openapi({ description: CONTAINED }),
  exclude_metadata: ExcludeMetadataSchema,
  values: optional(JsonObjectSchema).openapi({ description: CONTAINED }),
  status: optional(z.enum(THREAD_STATUSES)),
  updated_after: InstantSchema,
  updated_before: InstantSchema,
}

/** `context` is a field of other servers' threads. */
const SelectSchema = z
  .array(z.enum([...z.object(FIELDS).keyof().options, 'excerpt', 'context']))
  .transform((fields) => fields.filter((field) => field !== 'context'))

const MAX_EXTRACTS = 10

const ExtractSchema = z
  .record(z.string(), z.string())
  .refine(
    (paths) => Object.keys(paths).length <= MAX_EXTRACTS,
    `At most ${MAX_EXTRACTS} values can be extracted.`,
  )
  .transform((paths, context) => {
    const parsed: [string, ExtractPath][] = []
    for (const [alias, text] of Object.entries(paths)) {
      const path = parseExtractPath(text)
      if (path) parsed.push([alias, path])
      else context.addIssue({ code: 'custom', path: [alias], message: PATH_FORM })
    }
    return Object.fromEntries(parsed)
  })
  .openapi({
    type: 'object',
    maxProperties: MAX_EXTRACTS,
    additionalProperties: { type: 'string', pattern: EXTRACT_PATTERN, maxLength: MAX_PATH_LENGTH },
  })

const PATH_FORM = `Write a path that begins with ${EXTRACT_ROOTS.join(', ')}, e.g. values.messages[-1].content.`

export const ThreadSearchSchema = z
  .object({
    ids: optional(z.array(UuidSchema)),
    text: TextSchema.openapi({
      description:
        'Mentioned in the values or an open question, whatever its case. It looks at the first 1,000 threads in the order ' +
        'of the page, and at no more than 16 MiB of their states.',
    }),
    ...QUERY_FIELDS,
    ...pageFields(10),
    ...sortFields(THREAD_SORT_FIELDS, 'created_at'),
    select: optional(SelectSchema),
    extract: optional(ExtractSchema),
  })
  .openapi('ThreadSearchRequest')

export const ThreadCountSchema = z.object(QUERY_FIELDS).openapi('ThreadCountRequest')

export const ThreadPruneSchema = z
  .object({
    thread_ids: z.array(UuidSchema),
    strategy: optional(z.enum(TTL_STRATEGIES)).openapi({ default: 'delete' }),
  })
  .openapi('ThreadPruneRequest')

const UseSchema = z.object({ count: z.int(), bytes: z.int() })

export const ThreadStorageSchema = z
  .object({
    thread_id: z.string().openapi({ format: 'uuid' }),
    total_bytes: z.int(),
    checkpoints: UseSchema,
    channel_values: UseSchema.extend({
      by_channel: z.record(z.string(), z.object({ versions: z.int(), bytes: z.int() })),
    }),
    pending_writes: UseSchema,
  })
  .openapi('ThreadStorage')
