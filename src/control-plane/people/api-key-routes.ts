/** `/v2/api-keys` */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import { body, type ControlPlaneEnv, json, refusals, SECURITY } from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'
import {
  ApiKeyCreateRequestSchema,
  ApiKeyPathSchema,
  ApiKeySchema,
  ApiKeysListSchema,
  ApiKeysQuerySchema,
  NewApiKeySchema,
} from './api-key-schemas.ts'
import { createApiKey, getApiKey, listApiKeys, revokeApiKey } from './api-keys.ts'

const common = { tags: ['API Keys (v2)'], security: SECURITY }
const one = { params: ApiKeyPathSchema }

/** Newest first, with those that were revoked or have expired. */
const list = createRoute({
  method: 'get',
  path: '/v2/api-keys',
  operationId: 'list_api_keys_v2_api_keys_get',
  summary: 'List API keys',
  ...common,
  request: { query: ApiKeysQuerySchema },
  responses: { 200: json(ApiKeysListSchema, 'A page of keys.'), ...refusals(401, 403, 404, 422) },
})

const create = createRoute({
  method: 'post',
  path: '/v2/api-keys',
  operationId: 'create_api_key_v2_api_keys_post',
  summary: 'Create an API key',
  ...common,
  request: { body: body(ApiKeyCreateRequestSchema) },
  responses: {
    201: json(NewApiKeySchema, 'The key, shown this once.'),
    ...refusals(401, 403, 404, 413, 422),
  },
})

const get = createRoute({
  method: 'get',
  path: '/v2/api-keys/{api_key_id}',
  operationId: 'get_api_key_v2_api_keys__api_key_id__get',
  summary: 'Get an API key',
  ...common,
  request: one,
  responses: {
    200: json(ApiKeySchema, 'What is known of it, without the key itself.'),
    ...refusals(401, 403, 404, 422),
  },
})

/** It stays in the list, as revoked. */
const revoke = createRoute({
  method: 'delete',
  path: '/v2/api-keys/{api_key_id}',
  operationId: 'revoke_api_key_v2_api_keys__api_key_id__delete',
  summary: 'Revoke an API key',
  ...common,
  request: one,
  responses: {
    204: { description: 'It is refused from now on.' },
    ...refusals(401, 403, 404, 409, 422),
  },
})

export function apiKeyRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'clock'>,
): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  routes.openapi(list, async (c) =>
    c.json(await listApiKeys(parts, c.var.principal, c.req.valid('query')), 200),
  )
  routes.openapi(create, async (c) =>
    c.json(await createApiKey(parts, c.var.principal, c.req.valid('json')), 201),
  )
  routes.openapi(get, async (c) =>
    c.json(await getApiKey(parts, c.var.principal, c.req.valid('param').api_key_id), 200),
  )
  routes.openapi(revoke, async (c) => {
    await revokeApiKey(parts, c.var.principal, c.req.valid('param').api_key_id)
    return c.body(null, 204)
  })
  return routes
}
