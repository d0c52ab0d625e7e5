/** Agents that ask for the tokens of the people they act for, with their deployment's own key. */
import type { Authenticate } from '../../core/deployment/target.ts'
import { AppError } from '../../core/errors.ts'
import { deploymentOf } from '../../core/oauth/agent-key.ts'
import { DEPLOYMENT_USER } from '../../core/oauth/token.ts'
import type { Principal } from '../../core/people/api-key.ts'
import type { ControlPlaneParts } from '../parts.ts'

/**
 * The check of keys, with those of agents: each stands for its deployment, in the deployment's
 * workspace, with the role `agent`. Throws `unauthenticated` for one of a deployment that is gone.
 */
export function acceptAgentKeys({
  authenticate,
  store,
  signingKey,
}: Pick<ControlPlaneParts, 'authenticate' | 'store' | 'signingKey'>): Authenticate {
  return async (headers) => {
    const deployment_id = deploymentOf(signingKey, keyIn(headers))
    if (deployment_id === undefined) return authenticate(headers)
    return principalOf(await store.deployments.get(deployment_id))
  }
}

function keyIn(headers: Headers): string {
  const bearer = /^bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1]
  return headers.get('x-api-key')?.trim() || (bearer ?? '')
}

function principalOf(
  deployment: { id: string; name: string; tenant_id: string; status: string } | undefined,
): Principal {
  if (!deployment || deployment.status === 'AWAITING_DELETE') {
    throw new AppError('unauthenticated', 'The deployment of this key is not there any more.')
  }
  const { id, name, tenant_id: workspace_id } = deployment
  const user_id = `${DEPLOYMENT_USER}${id}`
  return { user_id, name: `agents of ${name}`, kind: 'api_key', workspace_id, role: 'agent' }
}
