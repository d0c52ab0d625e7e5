/** The project's own `auth`, as its host asks it. */

import type { JsonObject } from '../../json.ts'
import type { AuthorizationEvent, AuthUser, MetadataFilter } from '../authorization.ts'

export interface ProjectAuth {
  /** Whether people who work with Studio are asked like everyone else. */
  readonly isStudioAuthDisabled: boolean
  /** Whether `authenticate` reads bodies: it is handed the request without one otherwise. */
  readonly wantsBody?: boolean
  /**
   * Who sent the request. Throws `unauthenticated`, or the refusal that the project decided on
   * (`ProjectRefusal`); what it cannot decide is `internal`, and lets nobody in.
   */
  authenticate(request: Request): Promise<AuthUser>
  /**
   * Asks the one handler that fits the operation best; where there is none it is allowed. Throws
   * `forbidden`, and whatever refusal the project decided on.
   */
  authorize(question: AuthQuestion): Promise<AuthDecision>
}

export interface AuthQuestion {
  user: AuthUser
  permissions: string[]
  event: AuthorizationEvent
  /** What the operation is about to write or to look for. */
  value: JsonObject
}

export interface AuthDecision {
  /** What is seen; absent: everything. */
  filter?: MetadataFilter
  /** What the handler made of the value: what is done is what it holds. */
  value: JsonObject
}
