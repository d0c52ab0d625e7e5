/** The operations on the store. */
import { createRoute } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import { body } from '../operations/body.ts'
import { given } from '../operations/given.ts'
import { refusals } from '../operations/refusals.ts'
import type { Parts } from '../parts.ts'
import {
  ItemDeleteSchema,
  ItemPutSchema,
  ItemQuerySchema,
  ItemSchema,
  ItemSearchSchema,
  ItemsFoundSchema,
  NamespacesQuerySchema,
  NamespacesSchema,
} from './schemas.ts'
import { deleteItem, getItem, listNamespaces, putItem, searchItems } from './verbs.ts'

const tags = ['Store']

const put = createRoute({
  method: 'put',
  path: '/store/items',
  operationId: 'put_item',
  tags,
  summary: 'Put an item in place of the one with its namespace and key',
  request: { body: body(ItemPutSchema) },
  responses: { 204: { description: 'Written' }, ...refusals(400, 404, 422) },
})

const get = createRoute({
  method: 'get',
  path: '/store/items',
  operationId: 'get_item',
  tags,
  summary: 'An item, or null where there is none',
  request: { query: ItemQuerySchema },
  responses: {
    200: {
      description: 'Item',
      content: { 'application/json': { schema: ItemSchema.nullable() } },
    },
    ...refusals(400, 422),
  },
})

const remove = createRoute({
  method: 'delete',
  path: '/store/items',
  operationId: 'delete_item',
  tags,
  summary: 'Remove an item, if there is one',
  request: { body: body(ItemDeleteSchema) },
  responses: { 204: { description: 'It is not there' }, ...refusals(404, 422) },
})

const search = createRoute({
  method: 'post',
  path: '/store/items/search',
  operationId: 'search_items',
  tags,
  summary: 'A page of items: by meaning with `query`, else the one changed last first',
  request: { body: body(ItemSearchSchema) },
  responses: {
    200: { description: 'Items', content: { 'application/json': { schema: ItemsFoundSchema } } },
    ...refusals(400, 422),
  },
})

const namespaces = createRoute({
  method: 'post',
  path: '/store/namespaces',
  operationId: 'list_namespaces',
  tags,
  summary: 'The namespaces that have items, in order',
  request: { body: body(NamespacesQuerySchema) },
  responses: {
    200: {
      description: 'Namespaces',
      content: { 'application/json': { schema: NamespacesSchema } },
    },
    ...refusals(422),
  },
})

export function storeRoutes(parts: Pick<Parts, 'items' | 'authorize'>) {
  const routes = createRoutes<AgentServerEnv>()
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
    return c.json(await getItem(parts, c.var.caller, { ...id, ...refresh }), 200)
  })
  routes.openapi(remove, async (c) => {
    const { key, namespace } = c.req.valid('json')
    await deleteItem(parts, c.var.caller, { key, namespace })
    return c.body(null, 204)
  })
  routes.openapi(search, async (c) => {
    const first = { namespace_prefix: [], limit: 10, offset: 0 }
    const request = { ...first, ...given(c.req.valid('json')) }
    return c.json({ items: await searchItems(parts, c.var.caller, request) }, 200)
  })
  routes.openapi(namespaces, async (c) => {
    const request = { limit: 100, offset: 0, ...given(c.req.valid('json')) }
    return c.json({ namespaces: await listNamespaces(parts, c.var.caller, request) }, 200)
  })
  return routes
}
