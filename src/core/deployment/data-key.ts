/**
 * The key with which the agent servers of a deployment encrypt credentials in their database. It is derived and
 * stored nowhere: every revision, every replica and every control plane of the installation gets the same one, also
 * after a change of the encryption key.
 */
import { createHmac } from 'node:crypto'

/** Returns 32 bytes in base64. `signingKey`: `ControlPlaneStore.signingKey`. */
export function dataKeyOf(signingKey: Uint8Array, deployment_id: string): string {
  const text = `data key of the agent servers of ${deployment_id}`
  return createHmac('sha256', signingKey).update(text).digest('base64')
}
