/** Stopping a revision on its way. */

import { timestamp } from '../../core/clock.ts'
import { isRevisionOver } from '../../core/deployment/revision.ts'
import { AppError } from '../../core/errors.ts'
import type { Principal } from '../../core/people/api-key.ts'
import { requireDeployment, requireRevision } from '../deployments/access.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { record } from '../people/audit.ts'

/**
 * Ends a revision that has not ended: the next in line may begin at once, while the reconciler ends
 * its build or its agent server. Doing it twice is no error. Throws `not_found`, `conflict` when it has
 * ended otherwise.
 */
export async function interruptRevision(
  parts: Pick<ControlPlaneParts, 'store' | 'whenTended' | 'clock'>,
  principal: Principal,
  deployment_id: string,
  id: string,
): Promise<void> {
  await parts.store.transaction(async (store) => {
    const { name } = await requireDeployment(store, principal, deployment_id)
    const { status } = await requireRevision(store, deployment_id, id)
    if (status === 'INTERRUPTED') return
    if (isRevisionOver(status)) {
      throw new AppError('conflict', `Revision ID ${id} has ended already: it is ${status}.`)
    }
    await store.revisions.move(id, {
      from: status,
      to: 'INTERRUPTED',
      status_message: `It was interrupted while it was ${status}.`,
      updated_at: timestamp(parts.clock),
    })
    await record(store, parts.clock, principal, {
      action: 'revision.interrupt',
      target_id: id,
      target_name: name,
      detail: { deployment_id },
    })
  })
  await parts.whenTended(deployment_id)
}
