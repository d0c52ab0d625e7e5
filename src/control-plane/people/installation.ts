/** Records that an installation has from its first start on. */

import { type Clock, timestamp } from '../../core/clock.ts'
import { ADMIN_KEY_ID, type ApiKeyStore, DEFAULT_WORKSPACE_ID } from '../../core/people/api-key.ts'
import { hashKey } from '../../http/keys.ts'

/**
 * Makes this the admin key of the default workspace. A different earlier key is refused from now on.
 */
export async function ensureAdminKey(apiKeys: ApiKeyStore, key: string, clock: Clock) {
  const key_hash = hashKey(key)
  if ((await apiKeys.findByHash(key_hash))?.id === ADMIN_KEY_ID) return
  await apiKeys.put({
    id: ADMIN_KEY_ID,
    name: 'admin',
    workspace_id: DEFAULT_WORKSPACE_ID,
    role: 'admin',
    key_hash,
    hint: null,
    created_at: timestamp(clock),
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
  })
}
