/** `/v2/auth/tokens` */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import { type ControlPlaneEnv, json, refusals, SECURITY } from '../operations/route.ts'
import { line } from '../operations/text.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { deleteOAuthTokens } from './tokens.ts'

/** Deletes the caller's tokens of one provider, and nobody else's. */
const remove = createRoute({
  method: 'delete',
  path: '/v2/auth/tokens',
  operationId: 'delete_oauth_tokens_for_user_v2_auth_tokens_delete',
  summary: "Delete the caller's tokens of a provider",
  tags: ['Auth Service (v2)'],
  security: SECURITY,
  request: { query: z.object({ provider_id: line(256).min(1) }) },
  responses: {
    200: json(
      z.object({ message: z.string(), provider_id: z.string() }).openapi('OAuthTokensDeleted'),
      'What was deleted.',
    ),
    ...refusals(401, 422),
  },
})

export function oauthTokenRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'clock'>,
): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  routes.openapi(remove, async (c) => {
    const { provider_id } = c.req.valid('query')
    return c.json(await deleteOAuthTokens(parts, c.var.principal, provider_id), 200)
  })
  return routes
}
