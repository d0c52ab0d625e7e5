/**
 * The key with which a deployment's agent servers ask for tokens: a name and its proof, that nobody
 * stores. It stands for the deployment and no person, and is good as long as the deployment is there.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

const FORM = /^ryd_([0-9a-f-]{36})_([\w-]{43})$/

/** `signingKey`: `ControlPlaneStore.signingKey`. */
export function agentKeyOf(signingKey: Uint8Array, deployment_id: string): string {
  return `ryd_${deployment_id}_${proofOf(signingKey, deployment_id).toString('base64url')}`
}

/** The id of the deployment whose key it is; `undefined`: it is none, or was not made here. */
export function deploymentOf(signingKey: Uint8Array, key: string): string | undefined {
  const [, deployment_id = '', proof = ''] = FORM.exec(key) ?? []
  if (deployment_id === '') return undefined
  const sent = Buffer.from(proof, 'base64url')
  const isProven = timingSafeEqual(sent, proofOf(signingKey, deployment_id))
  return isProven ? deployment_id : undefined
}

function proofOf(signingKey: Uint8Array, deployment_id: string): Buffer {
  return createHmac('sha256', signingKey).update(`key of the agents of ${deployment_id}`).digest()
}
