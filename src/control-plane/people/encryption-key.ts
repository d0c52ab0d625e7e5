/** Changing the key that secrets and tokens are encrypted with. */
import { DEFAULT_WORKSPACE_ID, type Principal } from '../../core/people/api-key.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { record } from './audit.ts'

/**
 * Makes a new key and seals everything with it, while all goes on. Throws `conflict` when the key
 * is set in the environment, or while another change goes on.
 */
export async function rotateEncryptionKey(
  parts: Pick<ControlPlaneParts, 'store' | 'changeEncryptionKey' | 'clock'>,
  principal: Principal,
): Promise<{ resealed: number }> {
  const resealed = await parts.changeEncryptionKey()
  await record(parts.store, parts.clock, principal, {
    action: 'encryption_key.rotate',
    target_id: DEFAULT_WORKSPACE_ID,
    detail: { resealed },
  })
  return { resealed }
}
