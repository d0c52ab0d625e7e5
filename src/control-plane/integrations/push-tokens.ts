/** Tokens for pushing an image into a registry. */

import { AppError } from '../../core/errors.ts'
import type { Principal } from '../../core/people/api-key.ts'
import { requireDeployment } from '../deployments/access.ts'
import type { ControlPlaneParts } from '../parts.ts'

/**
 * Throws `bad_request` for every deployment there is: images need a container runtime driver, and
 * none can be created without one. The official CLIs know the text. Throws `not_found`.
 */
export async function createPushToken(
  parts: Pick<ControlPlaneParts, 'store'>,
  principal: Principal,
  deployment_id: string,
): Promise<{ token: string; registry_url: string }> {
  const { source } = await requireDeployment(parts.store, principal, deployment_id)
  throw new AppError(
    'bad_request',
    "push token is only available for 'internal_docker' source deployments, " +
      `and this one is of source '${source}'.`,
  )
}
