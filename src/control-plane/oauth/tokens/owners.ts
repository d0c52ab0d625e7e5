/** Decides which tokens and consents a caller may see and end. */
import { DEPLOYMENT_USER, type TokenOwner } from '../../../core/oauth/token.ts'
import type { Principal } from '../../../core/people/api-key.ts'

/** Whether the principal is the owner, or the person that an agent asked for. */
export function isOf(
  { workspace_id, user_id, end_user_id }: TokenOwner,
  principal: Principal,
): boolean {
  if (principal.workspace_id !== workspace_id) return false
  const isEndUser = user_id.startsWith(DEPLOYMENT_USER) && end_user_id === principal.user_id
  return user_id === principal.user_id || isEndUser
}
