/** `/v2/deployments/{deployment_id}/push-webhook`, and the URL that it hands out */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import { DeploymentPathSchema } from '../deployments/schemas.ts'
import { limitBody } from '../operations/request-body.ts'
import { type ControlPlaneEnv, json, refusals, SECURITY } from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { receivePush } from './verbs.ts'
import { createPushWebhook, deletePushWebhook } from './webhooks.ts'

const tags = ['Push webhooks']

/** Answers what to enter at the git host: payload URL, and secret (GitHub) or token (GitLab). */
const create = createRoute({
  method: 'post',
  path: '/v2/deployments/{deployment_id}/push-webhook',
  operationId: 'create_push_webhook_v2_deployments__deployment_id__push_webhook_post',
  summary: 'Make the secret of the push webhook',
  tags,
  security: SECURITY,
  request: { params: DeploymentPathSchema },
  responses: {
    200: json(
      z.object({ url: z.string(), secret: z.string() }).openapi('PushWebhook'),
      'The URL, and a secret that is shown once and replaces the one before.',
    ),
    ...refusals(400, 401, 403, 404, 409, 422),
  },
})

const remove = createRoute({
  method: 'delete',
  path: '/v2/deployments/{deployment_id}/push-webhook',
  operationId: 'delete_push_webhook_v2_deployments__deployment_id__push_webhook_delete',
  summary: 'Take pushes no longer',
  tags,
  security: SECURITY,
  request: { params: DeploymentPathSchema },
  responses: {
    204: { description: 'The secret does not work any longer.' },
    ...refusals(400, 401, 403, 404, 409, 422),
  },
})

const Outcome = z
  .discriminatedUnion('status', [
    z.object({ status: z.literal('accepted'), revision_id: z.string() }),
    z.object({ status: z.literal('ignored'), reason: z.string() }),
  ])
  .openapi('PushOutcome')

/** Needs no key: signed as GitHub and Gitea do (`X-Hub-Signature-256`) or GitLab (`X-Gitlab-Token`). */
const receive = createRoute({
  method: 'post',
  path: '/v2/pushes/{deployment_id}',
  operationId: 'receive_push_v2_pushes__deployment_id__post',
  summary: 'Tell of a push',
  tags,
  security: [],
  request: { params: z.object({ deployment_id: z.string() }) },
  responses: {
    200: json(Outcome, 'It was understood; a revision was made, or the reason why none was.'),
    ...refusals(403, 413),
  },
})

export function pushWebhookRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'signingKey' | 'publicUrl' | 'clock'>,
): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  routes.openapi(create, async (c) => {
    const { deployment_id } = c.req.valid('param')
    return c.json(await createPushWebhook(parts, c.var.principal, deployment_id), 200)
  })
  routes.openapi(remove, async (c) => {
    await deletePushWebhook(parts, c.var.principal, c.req.valid('param').deployment_id)
    return c.body(null, 204)
  })
  return routes
}

/** Open: mounted before the key check. */
export function pushRoutes(parts: ControlPlaneParts): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  routes.use('/v2/pushes/*', limitBody)
  routes.openapi(receive, async (c) => {
    const { deployment_id } = c.req.valid('param')
    const body = await c.req.text()
    return c.json(await receivePush(parts, deployment_id, c.req.header(), body), 200)
  })
  return routes
}
