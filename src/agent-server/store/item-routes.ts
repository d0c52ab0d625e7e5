/** The operations on the store. */

import { answerOf } from '../../http/answer.ts'
import { given } from '../operations/given.ts'
import { body, createRoutes, json, operationsOf } from '../operations/route.ts'
import type { Parts } from '../parts.ts'
import {
  FoundItemSchema,
  ItemDeleteSchema,
  ItemPutSchema,
  ItemQuerySchema,
  ItemSchema,
  ItemSearchSchema,
  ItemsFoundSchema,
  NamespacesQuerySchema,
  NamespacesSchema,
} from './item-schemas.ts'
import { deleteItem, getItem, listNamespaces, putItem, searchItems } from './item-verbs.ts'

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

export function storeRoutes(parts: Pick<Parts, 'items' | 'authorize'>) {
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
    const first = { namespace_prefix: [], limit: 10, offset: 0 }
    const request = { ...first, ...given(c.req.valid('json')) }
    const found = await searchItems(parts, c.var.caller, request)
    return c.json({ items: found.map((item) => answerOf(FoundItemSchema, item)) }, 200)
  })
  routes.openapi(namespaces, async (c) => {
    const request = { limit: 100, offset: 0, ...given(c.req.valid('json')) }
    return c.json({ namespaces: await listNamespaces(parts, c.var.caller, request) }, 200)
  })
  return routes
}
