/** The project's own `auth`, called through its host. */

import type { JsonObject } from '../../json.ts'
import type { AuthorizationEvent, AuthUser, MetadataFilter } from '../authorization.ts'

export interface ProjectAuth {
  /** Whether `auth` applies to Studio users as well. */
  readonly isStudioAuthDisabled: boolean
  /** Whether `authenticate` reads bodies; otherwise it gets requests without one. */
  readonly wantsBody?: boolean
  /**
   * Returns the sender of the request. Throws `unauthenticated`, or the refusal that the project chose
   * (`ProjectRefusal`); `internal`, admitting no caller, when its code fails to decide.
   */
  authenticate(request: Request): Promise<AuthUser>
  /**
   * Calls the one handler that fits the operation best; without one the operation is allowed. Throws `forbidden`, or
   * the refusal that the project chose.
   */
  authorize(question: AuthQuestion): Promise<AuthDecision>
}

export interface AuthQuestion {
  user: AuthUser
  permissions: string[]
  event: AuthorizationEvent
  /** What the operation will write or search for. */
  value: JsonObject
}

export interface AuthDecision {
  /** What the caller sees; absent: everything. */
  filter?: MetadataFilter
  /** The value as the handler left it; the operation uses this one. */
  value: JsonObject
}
