/** `/v2/auth/providers` and `/v2/auth/platform-providers` */
import { z } from '@hono/zod-openapi'
import type { OAuthParts } from '../../control-plane-parts.ts'
import {
  body,
  createRoutes,
  json,
  operationsForAnyKey,
  type Routes,
} from '../../operations/route.ts'
import { discoverProvider } from './discovery.ts'
import {
  McpProviderCreateRequestSchema,
  ProviderCreateRequestSchema,
  ProviderDeletedSchema,
  ProviderPathSchema,
  ProviderSchema,
  ProviderUpdateRequestSchema,
} from './provider-schemas.ts'
import {
  createProvider,
  deleteProvider,
  getProvider,
  listPlatformProviders,
  listProviders,
  updateProvider,
} from './providers.ts'

const operation = operationsForAnyKey('Auth Service (v2)')

const list = operation('get', '/v2/auth/providers', {
  name: 'list_oauth_providers',
  summary: "List the workspace's OAuth providers",
  answers: { 200: json(z.array(ProviderSchema), 'By slug.') },
})

const listPlatform = operation('get', '/v2/auth/platform-providers', {
  name: 'list_platform_oauth_providers',
  summary: 'List the OAuth providers that the operator offers to every workspace',
  answers: { 200: json(z.array(ProviderSchema), 'By slug.') },
})

const create = operation('post', '/v2/auth/providers', {
  name: 'create_oauth_provider',
  summary: 'Create an OAuth provider',
  request: { body: body(ProviderCreateRequestSchema) },
  answers: { 200: json(ProviderSchema, 'Without its secret.') },
  refusals: [403, 409],
})

const discover = operation('post', '/v2/auth/providers/mcp-discover', {
  name: 'create_mcp_oauth_provider',
  summary: 'Create the OAuth provider that an MCP server names, and register a client there',
  request: { body: body(McpProviderCreateRequestSchema) },
  answers: { 200: json(ProviderSchema, 'Without its secret.') },
  refusals: [400, 403, 409],
})

const get = operation('get', '/v2/auth/providers/{provider_id}', {
  name: 'get_oauth_provider',
  summary: 'Get an OAuth provider by its slug',
  request: { params: ProviderPathSchema },
  answers: { 200: json(ProviderSchema, 'Without its secret.') },
  refusals: [404],
})

const update = operation('patch', '/v2/auth/providers/{provider_id}', {
  name: 'update_oauth_provider',
  summary: 'Change an OAuth provider',
  request: { params: ProviderPathSchema, body: body(ProviderUpdateRequestSchema) },
  answers: { 200: json(ProviderSchema, 'As it is now.') },
  refusals: [403, 404],
})

const remove = operation('delete', '/v2/auth/providers/{provider_id}', {
  name: 'delete_oauth_provider',
  summary: 'Delete an OAuth provider, with its tokens',
  request: { params: ProviderPathSchema },
  answers: { 200: json(ProviderDeletedSchema, 'It is gone.') },
  refusals: [403, 404],
})

export function oauthProviderRoutes(parts: OAuthParts): Routes {
  const routes = createRoutes()
  routes.openapi(list, async (c) => c.json(await listProviders(parts, c.var.principal), 200))
  routes.openapi(listPlatform, async (c) =>
    c.json(await listPlatformProviders(parts, c.var.principal), 200),
  )
  routes.openapi(discover, async (c) =>
    c.json(await discoverProvider(parts, c.var.principal, c.req.valid('json')), 200),
  )
  routes.openapi(create, async (c) =>
    c.json(await createProvider(parts, c.var.principal, c.req.valid('json')), 200),
  )
  routes.openapi(get, async (c) =>
    c.json(await getProvider(parts, c.var.principal, c.req.valid('param').provider_id), 200),
  )
  routes.openapi(update, async (c) => {
    const { provider_id } = c.req.valid('param')
    const request = c.req.valid('json')
    return c.json(await updateProvider(parts, c.var.principal, provider_id, request), 200)
  })
  routes.openapi(remove, async (c) =>
    c.json(await deleteProvider(parts, c.var.principal, c.req.valid('param').provider_id), 200),
  )
  return routes
}
