/** Agents use their deployment's own key to ask for the tokens of the people they act for. */
import type { Deployment } from '../../core/deployment/deployment.ts'
import type { Authenticate } from '../../core/deployment/target.ts'
import { AppError } from '../../core/errors.ts'
import { deploymentNamedBy, isAgentKeyOf } from '../../core/oauth/agent-key.ts'
import { DEPLOYMENT_USER } from '../../core/oauth/token.ts'
import type { Principal } from '../../core/people/api-key.ts'
import { keyIn } from '../../core/people/sent-key.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'

/**
 * The check of keys that also accepts agent keys. The principal of an agent key is its deployment, in the
 * deployment's workspace, with the role `agent`. Throws `unauthenticated` for the key of a deleted deployment
 * and for a replaced key.
 */
export function acceptAgentKeys({
  authenticate,
  store,
  signingKey,
}: Pick<ControlPlaneParts, 'authenticate' | 'store' | 'signingKey'>): Authenticate {
  return async (headers) => {
    const key = keyIn(headers) ?? ''
    const deployment_id = deploymentNamedBy(key)
    if (deployment_id === undefined) return authenticate(headers)
    const deployment = await store.deployments.get(deployment_id)
    const isProven = deployment !== undefined && isAgentKeyOf(signingKey, key, deployment)
    if (isProven && deployment.status !== 'AWAITING_DELETE') return principalOf(deployment)
    throw new AppError('unauthenticated', 'This key of a deployment’s agents is not good any more.')
  }
}

function principalOf({ id, name, tenant_id: workspace_id }: Deployment): Principal {
  const user_id = `${DEPLOYMENT_USER}${id}`
  return { user_id, name: `agents of ${name}`, kind: 'api_key', workspace_id, role: 'agent' }
}
