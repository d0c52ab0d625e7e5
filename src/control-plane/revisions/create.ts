/** Makes a revision on request, whether or not something changes. */

import { AppError } from '../../core/errors.ts'
import type { Principal } from '../../core/people/api-key.ts'
import { answerOf } from '../../http/answer.ts'
import { requireDeployment } from '../deployments/access.ts'
import { applyPatch } from '../deployments/patch.ts'
import { checkSecrets, refuseSecretReferences } from '../deployments/secret-rules.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { record } from '../people/audit.ts'
import {
  type RevisionAnswer,
  type RevisionCreateRequest,
  RevisionSchema,
} from './revision-schemas.ts'

/**
 * Changes the deployment as a PATCH would, and makes a revision in any case. Absent members are as in
 * the revision before. Throws `not_found`, `forbidden`, `bad_request` for a member that may not change or
 * does not fit the source, `conflict` while the deployment is being deleted.
 */
export async function createRevision(
  parts: Pick<
    ControlPlaneParts,
    'store' | 'artifacts' | 'checkResources' | 'registry' | 'whenTended' | 'clock'
  >,
  principal: Principal,
  deployment_id: string,
  request: RevisionCreateRequest,
): Promise<RevisionAnswer> {
  refuseSecretReferences(request.secret_references)
  checkSecrets(request.secrets ?? [])
  const { latest } = await parts.store.transaction(async (store) => {
    const deployment = await requireDeployment(store, principal, deployment_id)
    const wish = { principal, made_for: 'change' } as const
    const made = await applyPatch(parts, store, deployment, request, wish, true)
    await record(store, parts.clock, principal, {
      action: 'revision.create',
      target_id: made.latest?.id ?? deployment_id,
      target_name: deployment.name,
      detail: { deployment_id, fields: Object.keys(request) },
    })
    return made
  })
  if (!latest) throw new AppError('internal', 'The revision was not made.')
  await parts.whenTended(deployment_id)
  return answerOf(RevisionSchema, latest)
}
