/** What a role may do here. */
import { isAllowed, type Permission, type Principal } from '../core/api-key.ts'
import { AppError } from '../core/errors.ts'

/** Throws `forbidden` when the principal's role does not allow it. */
export function requirePermission(principal: Principal, permission: Permission): void {
  if (isAllowed(principal.role, permission)) return
  throw new AppError(
    'forbidden',
    `An API key with role ${principal.role} may not do this: it needs the permission ${permission}.`,
  )
}
