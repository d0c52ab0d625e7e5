/** The operations on the store, and its items on the wire. */

import { z } from '@hono/zod-openapi'
import { MAX_NAME_BYTES } from '../../core/agent/items/item.ts'
import { answerOf } from '../../http/answer.ts'
import type { Parts } from '../agent-server-parts.ts'
import { given } from '../operations/given.ts'
import { JsonObjectSchema, numberIn, optional } from '../operations/json.ts'
import { FIRST_PAGE, pageFields } from '../operations/pagination.ts'
import { queryList } from '../operations/query.ts'
import { body, createRoutes, json, operationsOf } from '../operations/route.ts'
import { deleteItem, getItem, listNamespaces, putItem, searchItems } from './item-verbs.ts'

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

const ItemSchema = z
  .object({
    namespace: LabelsSchema,
    key: z.string(),
    value: JsonObjectSchema,
    created_at: z.string().openapi({ format: 'date-time' }),
    updated_at: z.string().openapi({ format: 'date-time' }),
  })
  .openapi('Item')

const ItemPutSchema = z
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

const ItemDeleteSchema = z
  .object({ namespace: NamespaceSchema, key: KeySchema })
  .openapi('StoreDeleteRequest')

const ItemQuerySchema = z.object({
  key: KeySchema,
  namespace: queryList(z.string()).openapi({
    items: { type: 'string', minLength: 1, pattern: '^[^\\u0000]*$' },
    description: 'The labels, joined by periods or one after the other.',
  }),
  refresh_ttl: z.enum(['true', 'false', '1', '0']).optional().openapi({ type: 'boolean' }),
})

const ItemSearchSchema = z
  .object({
    namespace_prefix: optional(LabelsSchema).openapi({
      items: LABEL,
      description: 'Absent: all namespaces.',
    }),
    filter: optional(JsonObjectSchema).openapi({
      description:
        'What the value holds, by key: a value, or operators: $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin.',
    }),
    ...pageFields(10),
    query: optional(z.string()).openapi({
      description: 'What the items shall mean; for projects with `store.index`.',
    }),
    refresh_ttl: optional(z.boolean()),
  })
  .openapi('StoreSearchRequest')

const FoundItemSchema = ItemSchema.extend({
  score: z
    .number()
    .optional()
    .openapi({ description: 'With a query: the cosine of the angle, -1 to 1.' }),
})

const ItemsFoundSchema = z
  .object({ items: z.array(FoundItemSchema) })
  .openapi('SearchItemsResponse')

const PathSchema = optional(LabelsSchema).openapi({
  items: LABEL,
  description: '`*` matches any label.',
})

const NamespacesQuerySchema = z
  .object({
    prefix: PathSchema,
    suffix: PathSchema,
    max_depth: optional(z.int().min(1)),
    ...pageFields(100),
  })
  .openapi('StoreListNamespacesRequest')

const NamespacesSchema = z
  .object({ namespaces: z.array(LabelsSchema) })
  .openapi('ListNamespaceResponse')

const operation = operationsOf('Store')

const put = operation('put', '/store/items', {
  id: 'put_item',
  summary: 'Put an item in place of the one with its namespace and key',
  request: { body: body(ItemPutSchema) },
  answers: { 204: { description: 'Written' } },
  refusals: [400, 404],
})

const get = operation('get', '/store/items', {
  id: 'get_item',
  summary: 'An item, or null where there is none',
  request: { query: ItemQuerySchema },
  answers: { 200: json(ItemSchema.nullable(), 'Item') },
  refusals: [400],
})

const remove = operation('delete', '/store/items', {
  id: 'delete_item',
  summary: 'Remove an item, if there is one',
  request: { body: body(ItemDeleteSchema) },
  answers: { 204: { description: 'It is not there' } },
  refusals: [404],
})

const search = operation('post', '/store/items/search', {
  id: 'search_items',
  summary: 'A page of items: by meaning with `query`, else the one changed last first',
  request: { body: body(ItemSearchSchema) },
  answers: { 200: json(ItemsFoundSchema, 'Items') },
  refusals: [400],
})

const namespaces = operation('post', '/store/namespaces', {
  id: 'list_namespaces',
  summary: 'The namespaces that have items, in order',
  request: { body: body(NamespacesQuerySchema) },
  answers: { 200: json(NamespacesSchema, 'Namespaces') },
})

export function storeRoutes(parts: Parts) {
  const routes = createRoutes()
  routes.openapi(put, async (c) => {
    const { ttl, ...item } = c.req.valid('json')
    const request = { ...given(item), ...(ttl !== undefined && { ttl_minutes: ttl }) }
    await putItem(parts, c.var.caller, request)
    return c.body(null, 204)
  })
  routes.openapi(get, async (c) => {
    const { key, namespace, refresh_ttl } = c.req.valid('query')
    const id = { key, namespace: namespace.flatMap((labels) => labels.split('.')) }
    const refresh = refresh_ttl && { refresh_ttl: refresh_ttl === 'true' || refresh_ttl === '1' }
    const item = await getItem(parts, c.var.caller, { ...id, ...refresh })
    return c.json(item && answerOf(ItemSchema, item), 200)
  })
  routes.openapi(remove, async (c) => {
    const { key, namespace } = c.req.valid('json')
    await deleteItem(parts, c.var.caller, { key, namespace })
    return c.body(null, 204)
  })
  routes.openapi(search, async (c) => {
    const request = { namespace_prefix: [], ...FIRST_PAGE, ...given(c.req.valid('json')) }
    const found = await searchItems(parts, c.var.caller, request)
    return c.json({ items: found.map((item) => answerOf(FoundItemSchema, item)) }, 200)
  })
  routes.openapi(namespaces, async (c) => {
    const request = { limit: 100, offset: 0, ...given(c.req.valid('json')) }
    return c.json({ namespaces: await listNamespaces(parts, c.var.caller, request) }, 200)
  })
  return routes
}
