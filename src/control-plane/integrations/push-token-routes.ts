/** `/v2/deployments/{deployment_id}/push-token` */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import { DeploymentPathSchema } from '../deployments/schemas.ts'
import { type ControlPlaneEnv, json, refusals, SECURITY } from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { createPushToken } from './push-tokens.ts'

/** Newer clients send that they log in with the name and push to the repository of the answer. */
const PushTokenRequestSchema = z
  .object({ supports_registry_username: z.boolean().nullish() })
  .openapi('PushTokenRequest')

/** Answers with what the image of an `internal_docker` deployment is pushed, and where to. */
const create = createRoute({
  method: 'post',
  path: '/v2/deployments/{deployment_id}/push-token',
  operationId: 'create_push_token_v2_deployments__deployment_id__push_token_post',
  summary: 'Make a token for pushing an image',
  tags: ['Deployments (v2)'],
  security: SECURITY,
  request: {
    params: DeploymentPathSchema,
    body: { content: { 'application/json': { schema: PushTokenRequestSchema } } },
  },
  responses: {
    200: json(
      z
        .object({
          token: z.string(),
          username: z.string(),
          registry_url: z.string(),
          repository_url: z.string(),
        })
        .openapi('PushToken'),
      'The login, and where images of this deployment lie: below `registry_url`, by default ' +
        'in `repository_url`.',
    ),
    ...refusals(400, 401, 403, 404, 409, 422),
  },
})

export function pushTokenRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'registry' | 'clock'>,
): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  routes.openapi(create, async (c) => {
    const { deployment_id } = c.req.valid('param')
    const { supports_registry_username } = c.req.valid('json')
    const takesUsername = supports_registry_username === true
    const by = c.var.principal
    return c.json(await createPushToken(parts, by, deployment_id, { takesUsername }), 200)
  })
  return routes
}
