/**
 * The key with which a deployment's agent servers request tokens: the deployment's id and a proof, stored nowhere. It
 * acts for the deployment and no user, and is valid while the deployment exists with the same nonce.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

const FORM = /^ryd_([0-9a-f-]{36})_([\w-]{43})$/

/** The part of a deployment that its key depends on. */
interface Keyed {
  id: string
  agent_key_nonce: string | null
}

/** `signingKey`: `ControlPlaneStore.signingKey`. */
export function agentKeyOf(signingKey: Uint8Array, deployment: Keyed): string {
  return `ryd_${deployment.id}_${proofOf(signingKey, deployment).toString('base64url')}`
}

/** The id of the deployment that the key names; `undefined`: it is no agent key. Proves nothing. */
export function deploymentNamedBy(key: string): string | undefined {
  return FORM.exec(key)?.[1]
}

/** Whether it is this deployment's current key. */
export function isAgentKeyOf(signingKey: Uint8Array, key: string, deployment: Keyed): boolean {
  const [, id, proof = ''] = FORM.exec(key) ?? []
  if (id !== deployment.id) return false
  return timingSafeEqual(Buffer.from(proof, 'base64url'), proofOf(signingKey, deployment))
}

function proofOf(signingKey: Uint8Array, { id, agent_key_nonce }: Keyed): Buffer {
  const text = `key of the agents of ${id}${agent_key_nonce === null ? '' : `\n${agent_key_nonce}`}`
  return createHmac('sha256', signingKey).update(text).digest()
}
