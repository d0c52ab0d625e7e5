/** Makes a revision when a git host reports a push. */

import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import type { Revision } from '../../core/deployment/revision.ts'
import { sourceConfigOf } from '../../core/deployment/sources/config.ts'
import { AppError } from '../../core/errors.ts'
import type { Principal } from '../../core/people/api-key.ts'
import { latestOf } from '../deployments/access.ts'
import { applyPatch } from '../deployments/patch.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { record } from '../people/audit.ts'
import { isSigned, isTracked, type Push, type PushHeaders, readPush } from './event.ts'
import { pushSecretOf } from './webhooks.ts'

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
export async function receivePush(
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
    detail: { deployment_id: deployment.id, ref: push.ref, commit: push.commit },
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
