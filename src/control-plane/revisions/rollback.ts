/** Rollback: an older revision takes over again, in about the time of a process start. */

import { type Clock, timestamp } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import { type Revision, UNFINISHED_STATUSES } from '../../core/deployment/revision.ts'
import { AppError } from '../../core/errors.ts'
import type { Principal } from '../../core/people/api-key.ts'
import { answerOf } from '../../http/answer.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { refuseDeleted, requireDeployment, requireRevision } from '../deployments/access.ts'
import { record } from '../people/audit.ts'
import { type RevisionAnswer, RevisionSchema } from './revision-schemas.ts'
import { repeatRevision } from './revisions.ts'

/**
 * Makes a new revision from an older one, by default the one that served before, with its build.
 * Interrupts revisions on their way. Throws `not_found`, `conflict` when there is no revision to go
 * back to, or it was never deployed.
 */
export async function rollBack(
  parts: Pick<ControlPlaneParts, 'store' | 'whenTended' | 'clock'>,
  principal: Principal,
  deployment_id: string,
  request: { revision_id?: string | null | undefined },
): Promise<RevisionAnswer> {
  const { latest } = await parts.store.transaction(async (store) => {
    const deployment = await requireDeployment(store, principal, deployment_id)
    refuseDeleted(deployment)
    const target = request.revision_id
      ? await requireDeployed(store, deployment_id, request.revision_id)
      : await requirePrevious(store, deployment)
    await interruptAll(store, deployment_id, target, parts.clock)
    const wish = { principal, made_for: 'rollback' } as const
    const made = await repeatRevision(store, deployment, target, wish, parts.clock)
    await record(store, parts.clock, principal, {
      action: 'revision.rollback',
      target_id: made.latest.id,
      target_name: deployment.name,
      detail: { deployment_id, revision_id: target.id, number: target.number },
    })
    return made
  })
  await parts.whenTended(deployment_id)
  return answerOf(RevisionSchema, latest)
}

/** The newest revision that was deployed before the active one and has not been taken back. */
export async function previousOf(
  store: ControlPlaneStore,
  deployment: Deployment,
): Promise<Revision | undefined> {
  const { active_revision_id } = deployment
  if (active_revision_id === null) return undefined
  const active = await store.revisions.get(deployment.id, active_revision_id)
  for (let offset = 0; ; offset += PAGE) {
    const page = { limit: PAGE, offset, statuses: ['DEPLOYED' as const] }
    const deployed = await store.revisions.list(deployment.id, page)
    const found = deployed.find((one) => active && one.number < active.number)
    if (found || deployed.length < PAGE) return found
  }
}

const PAGE = 50

async function requireDeployed(
  store: ControlPlaneStore,
  deployment_id: string,
  id: string,
): Promise<Revision> {
  const revision = await requireRevision(store, deployment_id, id)
  if (revision.deployed_at !== null || revision.status === 'DEPLOYED') return revision
  throw new AppError(
    'conflict',
    `Revision #${revision.number} was never deployed (it is ${revision.status}): choose one that was.`,
  )
}

async function requirePrevious(
  store: ControlPlaneStore,
  deployment: Deployment,
): Promise<Revision> {
  const previous = await previousOf(store, deployment)
  if (previous) return previous
  throw new AppError(
    'conflict',
    `No revision of ${deployment.name} was deployed before the one that serves: nothing to go back to.`,
  )
}

async function interruptAll(
  store: ControlPlaneStore,
  deployment_id: string,
  target: Revision,
  clock: Clock,
): Promise<void> {
  const line = await store.revisions.list(deployment_id, {
    limit: 1000,
    offset: 0,
    statuses: UNFINISHED_STATUSES,
  })
  for (const { id, status } of line) {
    await store.revisions.move(id, {
      from: status,
      to: 'INTERRUPTED',
      status_message: `A rollback to #${target.number} came first.`,
      updated_at: timestamp(clock),
    })
  }
}
