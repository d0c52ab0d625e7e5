/** `/v2/api-keys` */

import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { body, createRoutes, json, operationsOf, type Routes } from '../operations/route.ts'
import {
  ApiKeyCreateRequestSchema,
  ApiKeyPathSchema,
  ApiKeySchema,
  ApiKeysListSchema,
  ApiKeysQuerySchema,
  NewApiKeySchema,
} from './api-key-schemas.ts'
import { createApiKey, getApiKey, listApiKeys, revokeApiKey } from './api-keys.ts'

const operation = operationsOf('API Keys (v2)')
const one = { params: ApiKeyPathSchema }

/** Newest first, with those that were revoked or have expired. */
const list = operation('get', '/v2/api-keys', {
  name: 'list_api_keys',
  summary: 'List API keys',
  request: { query: ApiKeysQuerySchema },
  answers: { 200: json(ApiKeysListSchema, 'A page of keys.') },
  refusals: [404],
})

const create = operation('post', '/v2/api-keys', {
  name: 'create_api_key',
  summary: 'Create an API key',
  request: { body: body(ApiKeyCreateRequestSchema) },
  answers: { 201: json(NewApiKeySchema, 'The key, shown this once.') },
  refusals: [404, 413],
})

const get = operation('get', '/v2/api-keys/{api_key_id}', {
  name: 'get_api_key',
  summary: 'Get an API key',
  request: one,
  answers: { 200: json(ApiKeySchema, 'What is known of it, without the key itself.') },
  refusals: [404],
})

/** It stays in the list, as revoked. */
const revoke = operation('delete', '/v2/api-keys/{api_key_id}', {
  name: 'revoke_api_key',
  summary: 'Revoke an API key',
  request: one,
  answers: { 204: { description: 'It is refused from now on.' } },
  refusals: [404, 409],
})

export function apiKeyRoutes(parts: Pick<ControlPlaneParts, 'store' | 'clock'>): Routes {
  const routes = createRoutes()
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
