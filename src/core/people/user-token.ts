/** People's signed tokens from an OpenID Connect issuer: which of their claims count. */
import type { Principal, Role } from './api-key.ts'

/** How browsers sign in at the issuer. */
export interface OidcClientSettings {
  readonly clientId: string
  /** `undefined`: a public client. */
  readonly clientSecret: string | undefined
  /** Separated by spaces; `openid` is among them. */
  readonly scopes: string
}

/** Which issuer's tokens are accepted, and what their claims mean here. */
export interface UserTokenSettings {
  /** The issuer's name as in its tokens. Its keys are found through its discovery document. */
  readonly issuer: string
  /** The audience that tokens must name. */
  readonly audience: string
  /** The claim that holds one or several keys of `roles`. A dot leads into an object. */
  readonly roleClaim: string
  /** The role for each value of that claim. `*` stands for everybody with a token of the issuer. */
  readonly roles: Readonly<Record<string, Role>>
  /** The claim with the ids of the user's workspaces. `undefined`: everybody is in the first one. */
  readonly workspaceClaim: string | undefined
  /** `undefined`: browsers do not sign in there. */
  readonly client: OidcClientSettings | undefined
  /** How far the issuer's clock may differ from ours, in ms. */
  readonly clockSkewMs: number
}

/**
 * Answers whom a token stands for, in the named workspace or else in the first one of its owner, and the ids
 * of all that they may name. Throws
 * `unauthenticated` for an invalid token, `forbidden` when it gives no role or workspace here, and
 * `unavailable` when the issuer's keys cannot be fetched.
 */
export type VerifyUserToken = (
  token: string,
  workspace_id: string | null,
) => Promise<Principal & { workspaces: string[] }>
