/** `/v2/deployments/{deployment_id}/push-webhook`, and the URL of the webhook. */
import { z } from '@hono/zod-openapi'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import type { Revision } from '../../core/deployment/revision.ts'
import { sourceConfigOf } from '../../core/deployment/sources/config.ts'
import { AppError } from '../../core/errors.ts'
import type { Principal } from '../../core/people/api-key.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { latestOf } from '../deployments/access.ts'
import { DeploymentPathSchema } from '../deployments/deployment-schemas.ts'
import { applyPatch } from '../deployments/patch.ts'
import {
  createRoutes,
  json,
  limitBody,
  openOperationsOf,
  operationsOf,
  type Routes,
} from '../operations/route.ts'
import { record } from '../people/audit.ts'
import { isSigned, isTracked, type Push, type PushHeaders, readPush } from './event.ts'
import { createPushWebhook, deletePushWebhook, pushSecretOf } from './webhooks.ts'

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

// Makes a revision when a git host reports a push.

/** The outcome of a push: a revision, or the reason for none. */
type PushOutcome =
  | { status: 'accepted'; revision_id: string }
  | { status: 'ignored'; reason: string }

/**
 * Makes a revision from the head of the branch that was pushed to, when the deployment has
 * `build_on_push` and is built from that branch. It takes the branch's head, not the commit that the
 * request names, so that a replayed request cannot bring back old code.
 *
 * Throws `forbidden` for a request that is not signed with the secret of the deployment's webhook,
 * whether or not the deployment exists.
 */
async function receivePush(
  parts: Pick<
    ControlPlaneParts,
    'store' | 'artifacts' | 'checkResources' | 'signingKey' | 'wake' | 'clock'
  >,
  deployment_id: string,
  headers: PushHeaders,
  body: string,
): Promise<PushOutcome> {
  const outcome = await parts.store.transaction(async (store) => {
    const deployment = await store.deployments.get(deployment_id)
    const secret = deployment && pushSecretOf(parts, deployment)
    if (!deployment || secret === undefined || !isSigned(headers, body, secret)) {
      throw new AppError('forbidden', 'The push is not signed with the secret of the webhook.')
    }
    const push = readPush(headers, body)
    if ('reason' in push) return ignored(push.reason)
    const latest = await latestOf(store, deployment)
    const reason = reasonToIgnore(push, deployment, latest)
    if (reason) return ignored(reason)
    return addPushed(parts, store, deployment, push)
  })
  if (outcome.status === 'accepted') parts.wake()
  return outcome
}

function reasonToIgnore(
  push: Push,
  deployment: Deployment,
  latest: Revision | undefined,
): string | undefined {
  if (deployment.status === 'AWAITING_DELETE') return 'the deployment is being deleted'
  if (sourceConfigOf(deployment).build_on_push !== true) {
    return 'source_config.build_on_push is not true'
  }
  const { repo_ref = null, repo_commit_sha = null } = latest?.source_revision_config ?? {}
  if (!isTracked(push, repo_ref)) {
    return `the deployment is built from ${repo_ref ?? 'the default branch'}, not from ${push.ref}`
  }
  if (repo_commit_sha === push.commit) return `the newest revision is of commit ${push.commit}`
  return undefined
}

async function addPushed(
  parts: Pick<ControlPlaneParts, 'artifacts' | 'checkResources' | 'clock'>,
  store: ControlPlaneStore,
  deployment: Deployment,
  push: Push,
): Promise<PushOutcome> {
  const wish = { principal: pusher(deployment), made_for: 'push' } as const
  const { latest } = await applyPatch(parts, store, deployment, {}, wish, true)
  if (!latest) throw new AppError('internal', 'The revision was not made.')
  await record(store, parts.clock, pusher(deployment), {
    action: 'revision.create',
    target_id: latest.id,
    target_name: deployment.name,
    detail: {
      deployment_id: deployment.id,
      number: latest.number,
      ref: push.ref,
      commit: push.commit,
    },
  })
  return { status: 'accepted', revision_id: latest.id }
}

function pusher({ id, tenant_id }: Deployment): Principal {
  return {
    user_id: `push:${id}`,
    name: 'push webhook',
    kind: 'push_webhook',
    workspace_id: tenant_id,
    role: 'developer',
  }
}

function ignored(reason: string): PushOutcome {
  return { status: 'ignored', reason: `${reason}: no revision was made.` }
}
