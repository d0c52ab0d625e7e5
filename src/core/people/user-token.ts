/** Users' signed tokens from an OpenID Connect issuer: which claims count. */
import type { Principal, Role } from './api-key.ts'

/** How browsers sign in at the issuer. */
export interface OidcClientSettings {
  readonly clientId: string
  /** `undefined`: a public client. */
  readonly clientSecret: string | undefined
  /** Separated by spaces; `openid` is among them. */
  readonly scopes: string
}

/** The issuer of accepted tokens, and the meaning of their claims. */
export interface UserTokenSettings {
  /** The issuer's name as in its tokens. Its keys are found through its discovery document. */
  readonly issuer: string
  /** The audience that tokens must name. */
  readonly audience: string
  /** The claim that holds one or several keys of `roles`. A dot leads into an object. */
  readonly roleClaim: string
  /** The role for each value of that claim. `*` matches every user of the issuer. */
  readonly roles: Readonly<Record<string, Role>>
  /** The claim with the ids of the user's workspaces. `undefined`: all users are in the first one. */
  readonly workspaceClaim: string | undefined
  /** `undefined`: browsers do not sign in there. */
  readonly client: OidcClientSettings | undefined
  /** How far the issuer's clock may differ from ours, in ms. */
  readonly clockSkewMs: number
}

/**
 * Returns the user of a token, in the named workspace or else in the first of theirs, and the ids of all their
 * workspaces. Throws `unauthenticated` for an invalid token, `forbidden` when it gives no role or workspace here, and
 * `unavailable` when the issuer's keys cannot be fetched.
 */
export type VerifyUserToken = (
  token: string,
  workspace_id: string | null,
) => Promise<Principal & { workspaces: string[] }>
