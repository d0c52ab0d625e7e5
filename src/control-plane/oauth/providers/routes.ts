/** `/v2/auth/providers` and `/v2/auth/platform-providers` */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { createRoutes } from '../../../http/app.ts'
import { body, type ControlPlaneEnv, json, refusals, SECURITY } from '../../operations/route.ts'
import type { OAuthParts } from '../parts.ts'
import { discoverProvider } from './discovery.ts'
import {
  McpProviderCreateRequestSchema,
  ProviderCreateRequestSchema,
  ProviderDeletedSchema,
  ProviderPathSchema,
  ProviderSchema,
  ProviderUpdateRequestSchema,
} from './schemas.ts'
import {
  createProvider,
  deleteProvider,
  getProvider,
  listPlatformProviders,
  listProviders,
  updateProvider,
} from './verbs.ts'

const shared = { tags: ['Auth Service (v2)'], security: SECURITY }

const list = createRoute({
  method: 'get',
  path: '/v2/auth/providers',
  operationId: 'list_oauth_providers_v2_auth_providers_get',
  summary: "List the workspace's OAuth providers",
  ...shared,
  responses: { 200: json(z.array(ProviderSchema), 'By slug.'), ...refusals(401) },
})

const listPlatform = createRoute({
  method: 'get',
  path: '/v2/auth/platform-providers',
  operationId: 'list_platform_oauth_providers_v2_auth_platform_providers_get',
  summary: 'List the OAuth providers that the operator offers to every workspace',
  ...shared,
  responses: { 200: json(z.array(ProviderSchema), 'By slug.'), ...refusals(401) },
})

const create = createRoute({
  method: 'post',
  path: '/v2/auth/providers',
  operationId: 'create_oauth_provider_v2_auth_providers_post',
  summary: 'Create an OAuth provider',
  ...shared,
  request: { body: body(ProviderCreateRequestSchema) },
  responses: { 200: json(ProviderSchema, 'Without its secret.'), ...refusals(401, 403, 409, 422) },
})

const discover = createRoute({
  method: 'post',
  path: '/v2/auth/providers/mcp-discover',
  operationId: 'create_mcp_oauth_provider_v2_auth_providers_mcp_discover_post',
  summary: 'Create the OAuth provider that an MCP server names, and register a client there',
  ...shared,
  request: { body: body(McpProviderCreateRequestSchema) },
  responses: {
    200: json(ProviderSchema, 'Without its secret.'),
    ...refusals(400, 401, 403, 409, 422),
  },
})

const get = createRoute({
  method: 'get',
  path: '/v2/auth/providers/{provider_id}',
  operationId: 'get_oauth_provider_v2_auth_providers__provider_id__get',
  summary: 'Get an OAuth provider by its slug',
  ...shared,
  request: { params: ProviderPathSchema },
  responses: { 200: json(ProviderSchema, 'Without its secret.'), ...refusals(401, 404, 422) },
})

const update = createRoute({
  method: 'patch',
  path: '/v2/auth/providers/{provider_id}',
  operationId: 'update_oauth_provider_v2_auth_providers__provider_id__patch',
  summary: 'Change an OAuth provider',
  ...shared,
  request: { params: ProviderPathSchema, body: body(ProviderUpdateRequestSchema) },
  responses: { 200: json(ProviderSchema, 'As it is now.'), ...refusals(401, 403, 404, 422) },
})

const remove = createRoute({
  method: 'delete',
  path: '/v2/auth/providers/{provider_id}',
  operationId: 'delete_oauth_provider_v2_auth_providers__provider_id__delete',
  summary: 'Delete an OAuth provider, with its tokens',
  ...shared,
  request: { params: ProviderPathSchema },
  responses: { 200: json(ProviderDeletedSchema, 'It is gone.'), ...refusals(401, 403, 404, 422) },
})

export function oauthProviderRoutes(parts: OAuthParts): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
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
  routes.openapi(get, async (c) => {
    const { provider_id } = c.req.valid('param')
    return c.json(await getProvider(parts, c.var.principal, provider_id), 200)
  })
  routes.openapi(update, async (c) => {
    const { provider_id } = c.req.valid('param')
    const request = c.req.valid('json')
    return c.json(await updateProvider(parts, c.var.principal, provider_id, request), 200)
  })
  routes.openapi(remove, async (c) => {
    const { provider_id } = c.req.valid('param')
    return c.json(await deleteProvider(parts, c.var.principal, provider_id), 200)
  })
  return routes
}
