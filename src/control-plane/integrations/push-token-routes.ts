/** `/v2/deployments/{deployment_id}/push-token` */
import { z } from '@hono/zod-openapi'
import { DeploymentPathSchema } from '../deployments/deployment-schemas.ts'
import { createRoutes, json, operationsOf, type Routes } from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { createPushToken } from './push-tokens.ts'

/** Newer clients announce that they use the user name and the repository of the answer. */
const PushTokenRequestSchema = z
  .object({ supports_registry_username: z.boolean().nullish() })
  .openapi('PushTokenRequest')

const operation = operationsOf('Deployments (v2)')

/** Answers the token with which to push the image of an `internal_docker` deployment, and the repository. */
const create = operation('post', '/v2/deployments/{deployment_id}/push-token', {
  name: 'create_push_token',
  summary: 'Make a token for pushing an image',
  request: {
    params: DeploymentPathSchema,
    body: { content: { 'application/json': { schema: PushTokenRequestSchema } } },
  },
  answers: {
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
  },
  refusals: [400, 404, 409],
})

export function pushTokenRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'registry' | 'clock'>,
): Routes {
  const routes = createRoutes()
  routes.openapi(create, async (c) => {
    const { deployment_id } = c.req.valid('param')
    const { supports_registry_username } = c.req.valid('json')
    const takesUsername = supports_registry_username === true
    const by = c.var.principal
    return c.json(await createPushToken(parts, by, deployment_id, { takesUsername }), 200)
  })
  return routes
}
