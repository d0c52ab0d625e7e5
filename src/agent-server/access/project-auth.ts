/** Authorizes every operation by the project's own `auth`. */
import type { Authorize } from '../../core/agent/authorization.ts'
import type { ProjectAuth } from '../../core/agent/host/auth.ts'
import { AppError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'

/** Also throws `forbidden` for a caller without a user, except for the project itself. */
export function authorizeBy(auth: ProjectAuth): Authorize {
  return async ({ user, permissions, isProject }, event, value) => {
    if (isProject) return undefined
    if (!user) throw new AppError('forbidden', 'Nobody was authenticated for this operation.')
    const asked = value as JsonObject
    const decision = await auth.authorize({ user, permissions, event, value: asked })
    if (decision.value !== asked) replace(asked, decision.value)
    return decision.filter
  }
}

function replace(value: JsonObject, other: JsonObject): void {
  for (const key of Object.keys(value)) delete value[key]
  Object.assign(value, other)
}
