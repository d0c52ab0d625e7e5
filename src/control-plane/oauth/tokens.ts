/** What can be done with OAuth tokens. */
import type { Principal } from '../../core/people/api-key.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { record } from '../people/audit.ts'

/**
 * Deletes the caller's own tokens of one provider; none is no error.
 */
export async function deleteOAuthTokens(
  parts: Pick<ControlPlaneParts, 'store' | 'clock'>,
  principal: Principal,
  provider_id: string,
): Promise<{ message: string; provider_id: string }> {
  const { workspace_id, user_id } = principal
  const owner = { workspace_id, user_id }
  const count = await parts.store.transaction(async (store) => {
    const deleted = await store.oauthTokens.deleteOf(owner, provider_id)
    const deed = { action: 'oauth_token.delete', target_id: provider_id } as const
    await record(store, parts.clock, principal, { ...deed, detail: { count: deleted } })
    return deleted
  })
  return { message: `Deleted ${count} token${count === 1 ? '' : 's'}.`, provider_id }
}
