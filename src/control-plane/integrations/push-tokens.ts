/** Tokens for pushing an image into the operator's registry. */

import { repositoryOf } from '../../core/deployment/images/registry.ts'
import { AppError } from '../../core/errors.ts'
import type { Principal } from '../../core/people/api-key.ts'
import { refuseDeleted, requireDeployment } from '../deployments/access.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { record } from '../people/audit.ts'

interface PushToken {
  token: string
  username: string
  registry_url: string
  repository_url: string
}

interface Pushing {
  /** Whether the client logs in with the name of the answer; other clients use `FIXED_NAME`. */
  takesUsername: boolean
}

/** Older clients always log in with this name. */
const FIXED_NAME = 'oauth2accesstoken'

/**
 * The token for pushing the deployment's image, and the repository: the folder of this deployment in the
 * operator's registry, whatever name the client gives the image there. Throws `not_found`,
 * `conflict` while the deployment is being deleted, and `bad_request` for a deployment of another
 * source, in words that the official CLIs know, or when no registry is configured.
 */
export async function createPushToken(
  parts: Pick<ControlPlaneParts, 'store' | 'registry' | 'clock'>,
  principal: Principal,
  deployment_id: string,
  { takesUsername }: Pushing,
): Promise<PushToken> {
  return parts.store.transaction(async (store) => {
    const deployment = await requireDeployment(store, principal, deployment_id)
    refuseDeleted(deployment)
    if (deployment.source !== 'internal_docker') throw otherSource(deployment.source)
    const { registry } = parts
    if (!registry?.pushLogin) throw nothingToPushTo()
    const { username, password } = registry.pushLogin
    if (!takesUsername && username !== FIXED_NAME) throw fixedName(username)
    const repository = repositoryOf(registry, deployment_id)
    await record(store, parts.clock, principal, {
      action: 'push_token.create',
      target_id: deployment_id,
      target_name: deployment.name,
      detail: { repository },
    })
    const answer = { token: password, username, registry_url: repository }
    return { ...answer, repository_url: `${repository}/${deployment.name}` }
  })
}

function otherSource(source: string): AppError {
  return new AppError(
    'bad_request',
    "push token is only available for 'internal_docker' source deployments, " +
      `and this one is of source '${source}'.`,
  )
}

function nothingToPushTo(): AppError {
  return new AppError(
    'bad_request',
    'No registry takes images here: the operator has to set RUNYARD_REGISTRY_URL and ' +
      'RUNYARD_REGISTRY_PUSH_PASSWORD. Or push to a registry of your own and deploy from it ' +
      '(source external_docker).',
  )
}

function fixedName(username: string): AppError {
  return new AppError(
    'bad_request',
    `The registry is pushed to as ${username}, and this client only logs in as ${FIXED_NAME}. Use ` +
      'langgraph-cli 0.4.40 or newer, or have the operator set RUNYARD_REGISTRY_PUSH_USER.',
  )
}
