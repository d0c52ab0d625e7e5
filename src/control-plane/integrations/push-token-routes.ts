/** `/v2/deployments/{deployment_id}/push-token` */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import { DeploymentPathSchema } from '../deployments/schemas.ts'
import { type ControlPlaneEnv, json, refusals, SECURITY } from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { createPushToken } from './push-tokens.ts'

/** Refused as long as no container runtime driver is there. */
const create = createRoute({
  method: 'post',
  path: '/v2/deployments/{deployment_id}/push-token',
  operationId: 'create_push_token_v2_deployments__deployment_id__push_token_post',
  summary: 'Make a token for pushing an image',
  tags: ['Deployments (v2)'],
  security: SECURITY,
  request: { params: DeploymentPathSchema },
  responses: {
    200: json(
      z.object({ token: z.string(), registry_url: z.string() }).openapi('PushToken'),
      'The token, and the registry that it is for.',
    ),
    ...refusals(400, 401, 403, 404, 422),
  },
})

export function pushTokenRoutes(
  parts: Pick<ControlPlaneParts, 'store'>,
): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  routes.openapi(create, async (c) => {
    const { deployment_id } = c.req.valid('param')
    return c.json(await createPushToken(parts, c.var.principal, deployment_id), 200)
  })
  return routes
}
