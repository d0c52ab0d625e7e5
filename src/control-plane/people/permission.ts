/** The permissions of a role here. */

import { AppError } from '../../core/errors.ts'
import {
  isAllowed,
  isOperator,
  type Permission,
  type Principal,
} from '../../core/people/api-key.ts'

/** `operate`: only for operators, the admins of the installation's first workspace. */
export type Need = Permission | 'operate'

/** Throws `forbidden` when the principal's role does not allow it. */
export function requirePermission(principal: Principal, need: Need): void {
  if (need === 'operate' ? isOperator(principal) : isAllowed(principal.role, need)) return
  const whose = principal.kind === 'user' ? 'A user' : 'An API key'
  const needed =
    need === 'operate'
      ? 'it is for admins of the first workspace, who run the installation.'
      : `it needs the permission ${need}.`
  throw new AppError('forbidden', `${whose} with role ${principal.role} may not do this: ${needed}`)
}
