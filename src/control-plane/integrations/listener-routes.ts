/** `/v2/listeners` */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import { body, type ControlPlaneEnv, json, refusals, SECURITY } from '../operations/route.ts'
import { Limit, Offset } from '../operations/text.ts'
import type { ControlPlaneParts } from '../parts.ts'
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

const common = { tags: ['Listeners (v2)'], security: SECURITY }
const one = { params: ListenerPathSchema }

const list = createRoute({
  method: 'get',
  path: '/v2/listeners',
  operationId: 'list_listeners_v2_listeners_get',
  summary: 'List listeners',
  ...common,
  request: { query: z.object({ limit: Limit, offset: Offset }) },
  responses: {
    200: json(ListenersListSchema, 'A page of listeners.'),
    ...refusals(401, 403, 422),
  },
})

const create = createRoute({
  method: 'post',
  path: '/v2/listeners',
  operationId: 'create_listener_v2_listeners_post',
  summary: 'Create a listener',
  ...common,
  request: { body: body(ListenerCreateRequestSchema) },
  responses: {
    201: json(ListenerCreatedSchema, 'The listener, with its key.'),
    ...refusals(401, 403, 409, 413, 422),
  },
})

const get = createRoute({
  method: 'get',
  path: '/v2/listeners/{listener_id}',
  operationId: 'get_listener_v2_listeners__listener_id__get',
  summary: 'Get a listener',
  ...common,
  request: one,
  responses: { 200: json(ListenerSchema, 'The listener.'), ...refusals(401, 403, 404, 422) },
})

const patch = createRoute({
  method: 'patch',
  path: '/v2/listeners/{listener_id}',
  operationId: 'patch_listener_v2_listeners__listener_id__patch',
  summary: 'Change a listener',
  ...common,
  request: { ...one, body: body(ListenerPatchRequestSchema) },
  responses: {
    200: json(ListenerSchema, 'The listener as it is now.'),
    ...refusals(401, 403, 404, 413, 422),
  },
})

const remove = createRoute({
  method: 'delete',
  path: '/v2/listeners/{listener_id}',
  operationId: 'delete_listener_v2_listeners__listener_id__delete',
  summary: 'Delete a listener',
  ...common,
  request: one,
  responses: { 204: { description: 'It is gone.' }, ...refusals(401, 403, 404, 409, 422) },
})

const createKey = createRoute({
  method: 'post',
  path: '/v2/listeners/{listener_id}/key',
  operationId: 'create_listener_key_v2_listeners__listener_id__key_post',
  summary: 'Create another key for a listener',
  ...common,
  request: one,
  responses: { 201: json(ListenerKeySchema, 'The key.'), ...refusals(401, 403, 404, 422) },
})

const revokeKey = createRoute({
  method: 'delete',
  path: '/v2/listeners/{listener_id}/key',
  operationId: 'revoke_listener_key_v2_listeners__listener_id__key_delete',
  summary: 'Revoke the key of a listener',
  ...common,
  request: one,
  responses: { 204: { description: 'It has none.' }, ...refusals(401, 403, 404, 422) },
})

export function listenerRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'clock'>,
): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  routes.openapi(list, async (c) =>
    c.json(await listListeners(parts, c.var.principal, c.req.valid('query')), 200),
  )
  routes.openapi(create, async (c) =>
    c.json(await createListener(parts, c.var.principal, c.req.valid('json')), 201),
  )
  routes.openapi(get, async (c) => {
    const { listener_id } = c.req.valid('param')
    return c.json(await getListener(parts, c.var.principal, listener_id), 200)
  })
  routes.openapi(patch, async (c) => {
    const { listener_id } = c.req.valid('param')
    const request = c.req.valid('json')
    return c.json(await patchListener(parts, c.var.principal, listener_id, request), 200)
  })
  routes.openapi(remove, async (c) => {
    await deleteListener(parts, c.var.principal, c.req.valid('param').listener_id)
    return c.body(null, 204)
  })
  routes.openapi(createKey, async (c) => {
    const { listener_id } = c.req.valid('param')
    return c.json(await createListenerKey(parts, c.var.principal, listener_id), 201)
  })
  routes.openapi(revokeKey, async (c) => {
    await revokeListenerKey(parts, c.var.principal, c.req.valid('param').listener_id)
    return c.body(null, 204)
  })
  return routes
}
