/** `/v2/deployments/{deployment_id}/push-webhook`, and the URL of the webhook. */
import { z } from '@hono/zod-openapi'
import { DeploymentPathSchema } from '../deployments/deployment-schemas.ts'
import { limitBody } from '../operations/request-body.ts'
import {
  createRoutes,
  json,
  openOperationsOf,
  operationsOf,
  type Routes,
} from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { receivePush } from './pushes.ts'
import { createPushWebhook, deletePushWebhook } from './webhooks.ts'

const operation = operationsOf('Push webhooks')

/** Answers the values to enter at the git host: payload URL, and secret (GitHub) or token (GitLab). */
const create = operation('post', '/v2/deployments/{deployment_id}/push-webhook', {
  name: 'create_push_webhook',
  summary: 'Make the secret of the push webhook',
  request: { params: DeploymentPathSchema },
  answers: {
    200: json(
      z.object({ url: z.string(), secret: z.string() }).openapi('PushWebhook'),
      'The URL, and a secret that is shown once and replaces the one before.',
    ),
  },
  refusals: [400, 404, 409],
})

const remove = operation('delete', '/v2/deployments/{deployment_id}/push-webhook', {
  name: 'delete_push_webhook',
  summary: 'Take pushes no longer',
  request: { params: DeploymentPathSchema },
  answers: { 204: { description: 'The secret does not work any longer.' } },
  refusals: [400, 404, 409],
})

const Outcome = z
  .discriminatedUnion('status', [
    z.object({ status: z.literal('accepted'), revision_id: z.string() }),
    z.object({ status: z.literal('ignored'), reason: z.string() }),
  ])
  .openapi('PushOutcome')

/** Needs no key: signed as GitHub and Gitea do (`X-Hub-Signature-256`) or GitLab (`X-Gitlab-Token`). */
const receive = openOperationsOf('Push webhooks')('post', '/v2/pushes/{deployment_id}', {
  name: 'receive_push',
  summary: 'Report a push',
  request: { params: z.object({ deployment_id: z.string() }) },
  answers: {
    200: json(Outcome, 'It was understood; a revision was made, or the reason why none was.'),
  },
  refusals: [403, 413],
})

export function pushWebhookRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'signingKey' | 'publicUrl' | 'clock'>,
): Routes {
  const routes = createRoutes()
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
export function pushRoutes(parts: ControlPlaneParts): Routes {
  const routes = createRoutes()
  routes.use('/v2/pushes/*', limitBody)
  routes.openapi(receive, async (c) => {
    const { deployment_id } = c.req.valid('param')
    const body = await c.req.text()
    return c.json(await receivePush(parts, deployment_id, c.req.header(), body), 200)
  })
  return routes
}
