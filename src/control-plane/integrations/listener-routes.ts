/** `/v2/listeners` */
import { z } from '@hono/zod-openapi'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { body, createRoutes, json, operationsOf, type Routes } from '../operations/route.ts'
import { Limit, Offset } from '../operations/text.ts'
import {
  ListenerCreatedSchema,
  ListenerCreateRequestSchema,
  ListenerKeySchema,
  ListenerPatchRequestSchema,
  ListenerPathSchema,
  ListenerSchema,
  ListenersListSchema,
} from './listener-schemas.ts'
import {
  createListener,
  createListenerKey,
  deleteListener,
  getListener,
  listListeners,
  patchListener,
  revokeListenerKey,
} from './listeners.ts'

const operation = operationsOf('Listeners (v2)')
const one = { params: ListenerPathSchema }

const list = operation('get', '/v2/listeners', {
  name: 'list_listeners',
  summary: 'List listeners',
  request: { query: z.object({ limit: Limit, offset: Offset }) },
  answers: { 200: json(ListenersListSchema, 'A page of listeners.') },
})

const create = operation('post', '/v2/listeners', {
  name: 'create_listener',
  summary: 'Create a listener',
  request: { body: body(ListenerCreateRequestSchema) },
  answers: { 201: json(ListenerCreatedSchema, 'The listener, with its key.') },
  refusals: [409, 413],
})

const get = operation('get', '/v2/listeners/{listener_id}', {
  name: 'get_listener',
  summary: 'Get a listener',
  request: one,
  answers: { 200: json(ListenerSchema, 'The listener.') },
  refusals: [404],
})

const patch = operation('patch', '/v2/listeners/{listener_id}', {
  name: 'patch_listener',
  summary: 'Change a listener',
  request: { ...one, body: body(ListenerPatchRequestSchema) },
  answers: { 200: json(ListenerSchema, 'The listener as it is now.') },
  refusals: [404, 413],
})

const remove = operation('delete', '/v2/listeners/{listener_id}', {
  name: 'delete_listener',
  summary: 'Delete a listener',
  request: one,
  answers: { 204: { description: 'It is gone.' } },
  refusals: [404, 409],
})

const createKey = operation('post', '/v2/listeners/{listener_id}/key', {
  name: 'create_listener_key',
  summary: 'Create another key for a listener',
  request: one,
  answers: { 201: json(ListenerKeySchema, 'The key.') },
  refusals: [404],
})

const revokeKey = operation('delete', '/v2/listeners/{listener_id}/key', {
  name: 'revoke_listener_key',
  summary: 'Revoke the key of a listener',
  request: one,
  answers: { 204: { description: 'It has none.' } },
  refusals: [404],
})

export function listenerRoutes(parts: Pick<ControlPlaneParts, 'store' | 'clock'>): Routes {
  const routes = createRoutes()
  routes.openapi(list, async (c) =>
    c.json(await listListeners(parts, c.var.principal, c.req.valid('query')), 200),
  )
  routes.openapi(create, async (c) =>
    c.json(await createListener(parts, c.var.principal, c.req.valid('json')), 201),
  )
  routes.openapi(get, async (c) =>
    c.json(await getListener(parts, c.var.principal, c.req.valid('param').listener_id), 200),
  )
  routes.openapi(patch, async (c) => {
    const { listener_id } = c.req.valid('param')
    const request = c.req.valid('json')
    return c.json(await patchListener(parts, c.var.principal, listener_id, request), 200)
  })
  routes.openapi(remove, async (c) => {
    await deleteListener(parts, c.var.principal, c.req.valid('param').listener_id)
    return c.body(null, 204)
  })
  routes.openapi(createKey, async (c) =>
    c.json(await createListenerKey(parts, c.var.principal, c.req.valid('param').listener_id), 201),
  )
  routes.openapi(revokeKey, async (c) => {
    await revokeListenerKey(parts, c.var.principal, c.req.valid('param').listener_id)
    return c.body(null, 204)
  })
  return routes
}
