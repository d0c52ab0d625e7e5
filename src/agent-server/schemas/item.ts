/** Items of the store on the wire. */
import { z } from '@hono/zod-openapi'
import { JsonObjectSchema, optional } from './json.ts'
import { queryList } from './query.ts'

/** A hundred years, in minutes. */
const MAX_TTL_MINUTES = 100 * 366 * 1440

const LabelsSchema = z.array(z.string())

const NamespaceSchema = LabelsSchema.openapi({
  description: 'At least one label; a label is not empty and has no period.',
})

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
    key: z.string(),
    value: JsonObjectSchema,
    index: optional(z.union([z.literal(false), z.array(z.string())])).openapi({
      description:
        'The paths whose texts it is found by; false: none. null: as langgraph.json says.',
    }),
    ttl: z.number().positive().max(MAX_TTL_MINUTES).nullish().openapi({
      description:
        'Minutes until the item is removed; null: it stays. Absent: as langgraph.json says.',
    }),
  })
  .openapi('StorePutRequest')

export const ItemDeleteSchema = z
  .object({ namespace: optional(NamespaceSchema), key: z.string() })
  .openapi('StoreDeleteRequest')

export const ItemQuerySchema = z.object({
  key: z.string(),
  namespace: queryList(z.string()).optional().openapi({
    description: 'The labels, joined by periods or one after the other.',
  }),
  refresh_ttl: z.enum(['true', 'false', '1', '0']).optional().openapi({ type: 'boolean' }),
})

export const ItemSearchSchema = z
  .object({
    namespace_prefix: optional(LabelsSchema).openapi({ description: 'Absent: all namespaces.' }),
    filter: optional(JsonObjectSchema).openapi({
      type: ['object', 'null'],
      additionalProperties: true,
      description:
        'What the value holds, by key: a value, or operators: $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin.',
    }),
    limit: optional(z.int().min(1).max(1000)).openapi({ type: 'integer', default: 10 }),
    offset: optional(z.int().min(0)).openapi({ type: 'integer', default: 0 }),
    query: optional(z.string()).openapi({
      description: 'What the items shall mean; for projects with `store.index`.',
    }),
    refresh_ttl: optional(z.boolean()),
  })
  .openapi('StoreSearchRequest')

export const ItemsFoundSchema = z
  .object({
    items: z.array(
      ItemSchema.extend({
        score: z
          .number()
          .optional()
          .openapi({ description: 'With a query: the cosine of the angle, -1 to 1.' }),
      }),
    ),
  })
  .openapi('SearchItemsResponse')

const PathSchema = optional(LabelsSchema).openapi({ description: '`*` stands for any label.' })

export const NamespacesQuerySchema = z
  .object({
    prefix: PathSchema,
    suffix: PathSchema,
    max_depth: optional(z.int().min(1)).openapi({ type: 'integer' }),
    limit: optional(z.int().min(1).max(1000)).openapi({ type: 'integer', default: 100 }),
    offset: optional(z.int().min(0)).openapi({ type: 'integer', default: 0 }),
  })
  .openapi('StoreListNamespacesRequest')

export const NamespacesSchema = z
  .object({ namespaces: z.array(LabelsSchema) })
  .openapi('ListNamespaceResponse')
