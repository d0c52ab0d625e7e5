/** Signed tokens of people, made by an OpenID Connect issuer: what of them is believed. */
import type { Principal, Role } from './api-key.ts'

/** Which issuer's tokens are taken, and what their claims mean here. */
export interface UserTokenSettings {
  /** As it names itself in its tokens; its keys are found through its discovery document. */
  readonly issuer: string
  /** Whom tokens must be meant for. */
  readonly audience: string
  /** The claim that holds one or several of the keys of `roles`; a dot leads into an object. */
  readonly roleClaim: string
  /** By a value of that claim; `*` is for everybody whom the issuer knows. */
  readonly roles: Readonly<Record<string, Role>>
  /** The claim with the ids of the user's workspaces; `undefined`: everybody is in the first one. */
  readonly workspaceClaim: string | undefined
  /** How far its clock and ours may be apart, in ms. */
  readonly clockSkewMs: number
}

/**
 * Whom a token stands for, in the named workspace or else in the first of its own. Throws
 * `unauthenticated` for a token that is not to be believed, `forbidden` for one without a role or a
 * workspace here, `unavailable` when the issuer's keys cannot be had.
 */
export type VerifyUserToken = (token: string, workspace_id: string | null) => Promise<Principal>
