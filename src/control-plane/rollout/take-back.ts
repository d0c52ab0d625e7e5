/** Takes back a revision that died in its first minute: deploys the one before it again. */
import { timestamp } from '../../core/clock.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import { repeatRevision } from '../revisions/revisions.ts'
import { previousOf } from '../revisions/rollback.ts'
import { statusMessage } from './failure.ts'
import type { ReconcilerLimits, ReconcilerParts } from './rollout-parts.ts'

type TakeBackParts = Pick<ReconcilerParts, 'store' | 'clock' | 'log'> & {
  limits: Pick<ReconcilerLimits, 'probationMs'>
}

/**
 * The revision becomes DEPLOY_FAILED, and the one before it is repeated as a new revision. Until that
 * serves, the failed one is restarted as usual. `reason`: how it died.
 */
export async function takeBack(
  deployment: Deployment,
  { revision_id, reason }: { revision_id: string; reason: string },
  { store, limits, clock, log }: TakeBackParts,
): Promise<void> {
  await store.transaction(async (tx) => {
    const failed = await tx.revisions.get(deployment.id, revision_id)
    const previous = await previousOf(tx, deployment)
    if (failed?.status !== 'DEPLOYED' || !previous) return
    const within = `within ${limits.probationMs / 1000} s of its deployment`
    const message = `rollback: it died ${within}; #${previous.number} is deployed again. ${reason}`
    const isMoved = await tx.revisions.move(failed.id, {
      from: 'DEPLOYED',
      to: 'DEPLOY_FAILED',
      status_message: statusMessage(message, failed.secrets),
      updated_at: timestamp(clock),
    })
    if (!isMoved) return
    await repeatRevision(tx, deployment, previous, { made_for: 'take_back' }, clock)
    const { number } = failed
    log.warn({ revision_id, number, deployment: deployment.name }, 'revision taken back')
  })
}
