/** Items of the store on the wire. */
import { z } from '@hono/zod-openapi'
import { MAX_NAME_BYTES } from '../../core/agent/items/item.ts'
import { JsonObjectSchema, numberIn, optional } from '../operations/json.ts'
import { queryList } from '../operations/query.ts'

/** A hundred years, in minutes. */
const MAX_TTL_MINUTES = 100 * 366 * 1440

const LabelsSchema = z.array(z.string())

// Only for the OpenAPI document: the verbs check labels.
const LABEL = {
  type: 'string',
  minLength: 1,
  maxLength: MAX_NAME_BYTES,
  pattern: '^[^.\\u0000]+$',
} as const

const NamespaceSchema = LabelsSchema.openapi({
  minItems: 1,
  items: LABEL,
  description:
    'At least one label, the first of which is not "langgraph"; a label is not empty and has no ' +
    'period.',
})

const KeySchema = z
  .string()
  .openapi({ minLength: 1, maxLength: MAX_NAME_BYTES, pattern: '^[^\\u0000]*$' })

export const ItemSchema = z
  .object({
    namespace: LabelsSchema,
    key: z.string(),
    value: JsonObjectSchema,
    created_at: z.string().openapi({ format: 'date-time' }),
    updated_at: z.string().openapi({ format: 'date-time' }),
  })
  .openapi('Item')

export const ItemPutSchema = z
  .object({
    namespace: NamespaceSchema,
    key: KeySchema,
    value: JsonObjectSchema,
    index: optional(z.union([z.literal(false), z.array(z.string())])).openapi({
      description:
        'The paths whose texts it is found by; false: none. null: as langgraph.json says.',
    }),
    ttl: numberIn(z.number().positive().max(MAX_TTL_MINUTES).nullish()).openapi({
      description:
        'Minutes until the item is removed; null: it stays. Absent: as langgraph.json says.',
    }),
  })
  .openapi('StorePutRequest')

export const ItemDeleteSchema = z
  .object({ namespace: NamespaceSchema, key: KeySchema })
  .openapi('StoreDeleteRequest')

export const ItemQuerySchema = z.object({
  key: KeySchema,
  namespace: queryList(z.string()).openapi({
    items: { type: 'string', minLength: 1, pattern: '^[^\\u0000]*$' },
    description: 'The labels, joined by periods or one after the other.',
  }),
  refresh_ttl: z.enum(['true', 'false', '1', '0']).optional().openapi({ type: 'boolean' }),
})

export const ItemSearchSchema = z
  .object({
    namespace_prefix: optional(LabelsSchema).openapi({
      items: LABEL,
      description: 'Absent: all namespaces.',
    }),
    filter: optional(JsonObjectSchema).openapi({
      description:
        'What the value holds, by key: a value, or operators: $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin.',
    }),
    limit: optional(z.int().min(1).max(1000)).openapi({ default: 10 }),
    offset: optional(z.int().min(0)).openapi({ default: 0 }),
    query: optional(z.string()).openapi({
      description: 'What the items shall mean; for projects with `store.index`.',
    }),
    refresh_ttl: optional(z.boolean()),
  })
  .openapi('StoreSearchRequest')

export const FoundItemSchema = ItemSchema.extend({
  score: z
    .number()
    .optional()
    .openapi({ description: 'With a query: the cosine of the angle, -1 to 1.' }),
})

export const ItemsFoundSchema = z
  .object({ items: z.array(FoundItemSchema) })
  .openapi('SearchItemsResponse')

const PathSchema = optional(LabelsSchema).openapi({
  items: LABEL,
  description: '`*` matches any label.',
})

export const NamespacesQuerySchema = z
  .object({
    prefix: PathSchema,
    suffix: PathSchema,
    max_depth: optional(z.int().min(1)),
    limit: optional(z.int().min(1).max(1000)).openapi({ default: 100 }),
    offset: optional(z.int().min(0)).openapi({ default: 0 }),
  })
  .openapi('StoreListNamespacesRequest')

export const NamespacesSchema = z
  .object({ namespaces: z.array(LabelsSchema) })
  .openapi('ListNamespaceResponse')
