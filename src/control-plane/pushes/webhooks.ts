/** The URL and the secret for a git host, so that a push makes a revision. */
import { createHmac, randomUUID } from 'node:crypto'
import { timestamp } from '../../core/clock.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import { kindOf, sourcesThat } from '../../core/deployment/sources/table.ts'
import { AppError } from '../../core/errors.ts'
import type { Principal } from '../../core/people/api-key.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { refuseDeleted, requireDeployment } from '../deployments/access.ts'
import { record } from '../people/audit.ts'

interface PushWebhook {
  url: string
  /** Shown here only. */
  secret: string
}

/**
 * Makes a new secret; an earlier one stops working. Throws `not_found`, `bad_request` for a deployment
 * without a repository, `conflict` while it is being deleted.
 */
export async function createPushWebhook(
  parts: Pick<ControlPlaneParts, 'store' | 'signingKey' | 'publicUrl' | 'clock'>,
  principal: Principal,
  deployment_id: string,
): Promise<PushWebhook> {
  const nonce = randomUUID()
  await change(parts, principal, deployment_id, nonce)
  return {
    url: `${parts.publicUrl()}/v2/pushes/${deployment_id}`,
    secret: pushSecret(parts.signingKey, deployment_id, nonce),
  }
}

/** Removes the secret, which stops working. Throws as `createPushWebhook`. */
export async function deletePushWebhook(
  parts: Pick<ControlPlaneParts, 'store' | 'clock'>,
  principal: Principal,
  deployment_id: string,
): Promise<void> {
  await change(parts, principal, deployment_id, null)
}

/** The secret of a deployment's webhook; `undefined`: it has none. */
export function pushSecretOf(
  parts: Pick<ControlPlaneParts, 'signingKey'>,
  { id, push_nonce }: Deployment,
): string | undefined {
  return push_nonce === null ? undefined : pushSecret(parts.signingKey, id, push_nonce)
}

async function change(
  parts: Pick<ControlPlaneParts, 'store' | 'clock'>,
  principal: Principal,
  id: string,
  push_nonce: string | null,
): Promise<void> {
  await parts.store.transaction(async (store) => {
    const deployment = await requireDeployment(store, principal, id)
    refuseDeleted(deployment)
    refuseOtherSource(deployment)
    await store.deployments.update(id, { push_nonce, updated_at: timestamp(parts.clock) })
    await record(store, parts.clock, principal, {
      action: push_nonce === null ? 'push_webhook.delete' : 'push_webhook.create',
      target_id: id,
      target_name: deployment.name,
    })
  })
}

function refuseOtherSource({ source, name }: Deployment): void {
  if (kindOf(source).hasRepository) return
  throw new AppError(
    'bad_request',
    `Deployment ${name} is of source ${source}: only one of source ` +
      `${sourcesThat((kind) => kind.hasRepository)} has a repository to be pushed to.`,
  )
}

/** The secret is derived from a key, so that a copy of the database does not suffice to forge a push. */
function pushSecret(key: Uint8Array, deployment_id: string, nonce: string): string {
  return createHmac('sha256', key).update(`push\n${deployment_id}\n${nonce}`).digest('base64url')
}
