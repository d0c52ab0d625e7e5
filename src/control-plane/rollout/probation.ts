/** The first minute of a revision: if its agent server dies in it, the one before takes over again. */
import { type Clock, timestamp } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import type { Revision } from '../../core/deployment/revision.ts'
import type { RuntimeDriver } from '../../core/deployment/runtime.ts'
import type { Log } from '../../core/log.ts'
import { previousOf } from '../revisions/rollback.ts'
import { repeatRevision } from '../revisions/verbs.ts'
import { statusMessage } from './failure.ts'

export interface ProbationOptions {
  store: ControlPlaneStore
  driver: RuntimeDriver
  /** How long it lasts, in ms. */
  probationMs: number
  clock: Clock
  log: Log
}

/**
 * Takes the active revision back where it has died too soon: it becomes DEPLOY_FAILED, and the one
 * before it is deployed again as a new revision. Until that serves, the failed one is restarted as
 * any other. A revision that has served before, and was deployed again itself, is not taken back: if
 * it dies too, the reason lies elsewhere. `true`: the record changed.
 */
export async function endProbation(
  deployment: Deployment,
  options: ProbationOptions,
): Promise<boolean> {
  const { store, driver } = options
  const revision_id = deployment.active_revision_id
  if (revision_id === null) return false
  const reason = driver.replicas(revision_id).find((one) => one.reason !== null)?.reason
  if (!reason) return false
  return store.transaction(async (tx) => {
    const revision = await tx.revisions.get(deployment.id, revision_id)
    if (!revision || !isOnProbation(revision, options)) return false
    return takeBack(tx, deployment, revision, { ...options, reason })
  })
}

function isOnProbation(revision: Revision, { probationMs, clock }: ProbationOptions): boolean {
  const { status, built_from, deployed_at } = revision
  if (status !== 'DEPLOYED' || built_from !== null || deployed_at === null) return false
  return clock.now() - Date.parse(deployed_at) < probationMs
}

async function takeBack(
  tx: ControlPlaneStore,
  deployment: Deployment,
  failed: Revision,
  { reason, probationMs, clock, log }: ProbationOptions & { reason: string },
): Promise<boolean> {
  const previous = await previousOf(tx, deployment)
  if (!previous) return false
  const within = `within ${probationMs / 1000} s of its deployment`
  const message = `rollback: it died ${within}; revision ${previous.number} is deployed again. ${reason}`
  const isMoved = await tx.revisions.move(failed.id, {
    from: 'DEPLOYED',
    to: 'DEPLOY_FAILED',
    status_message: statusMessage(message, failed.secrets),
    updated_at: timestamp(clock),
  })
  if (!isMoved) return false
  await repeatRevision(tx, deployment, previous, clock)
  log.warn({ revision_id: failed.id, deployment: deployment.name }, 'revision taken back')
  return true
}
