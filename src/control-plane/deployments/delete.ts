/** Deleting deployments, one or several. */

import { timestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Principal } from '../../core/people/api-key.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { record } from '../people/audit.ts'
import { requireDeployment } from './access.ts'
import type { BulkDeletion } from './schemas.ts'

/**
 * Marks the deployment for deletion; the reconciler removes it. Doing it twice is no error. Throws
 * `not_found`.
 */
export async function deleteDeployment(
  parts: Pick<ControlPlaneParts, 'store' | 'wake' | 'clock'>,
  principal: Principal,
  id: string,
): Promise<void> {
  await parts.store.transaction(async (store) => {
    const { name, status } = await requireDeployment(store, principal, id)
    if (status === 'AWAITING_DELETE') return
    const updated_at = timestamp(parts.clock)
    await store.deployments.update(id, { status: 'AWAITING_DELETE', updated_at })
    const deed = { action: 'deployment.delete', target_id: id, target_name: name } as const
    await record(store, parts.clock, principal, deed)
  })
  parts.wake()
}

/**
 * Deletes each of them by itself, and tells which could not be. Throws `not_found` when none of
 * them is there.
 */
export async function deleteDeployments(
  parts: Pick<ControlPlaneParts, 'store' | 'wake' | 'clock'>,
  principal: Principal,
  ids: readonly string[],
): Promise<BulkDeletion> {
  const result: BulkDeletion = { deleted: [], failed: [] }
  for (const id of new Set(ids)) {
    const refusal = await deleteDeployment(parts, principal, id).catch(asRefusal)
    if (refusal) result.failed.push({ id, detail: refusal.message })
    else result.deleted.push(id)
  }
  if (result.deleted.length > 0) return result
  throw new AppError('not_found', result.failed.map(({ detail }) => detail).join(' '))
}

/** Rethrows an error that is not a refusal: then the whole request fails. */
function asRefusal(error: unknown): AppError {
  if (error instanceof AppError) return error
  throw error
}
