/**
 * A consent: a request to a user, from the link that they open to the resulting token.
 *
 * ```
 * pending ──the provider sends a code──▶ exchanging ──token stored──▶ completed
 *  ▲  ▲ │                                 │   │
 *  │  │ └──the user says no────▶ refused  │   └──the provider refuses the code──▶ failed
 *  │  └────────the provider is down───────┘      or grants less than was asked for   │
 *  └───────────the user continues from the link again (refused, failed)──────────────┘
 * ```
 * Continuing from the link gives the consent new secrets, even while it is `pending`: only the last can complete it.
 * Each status except `completed` becomes `expired` in time. `exchanging` is claimed for a while: if a server dies in
 * it, the same callback may come again.
 */
import type { Principal } from '../people/api-key.ts'
import type { GrantHolder, TokenOwner } from './token.ts'

export const CONSENT_STATUSES = [
  'pending',
  'exchanging',
  'completed',
  'refused',
  'failed',
  'expired',
] as const
type ConsentStatus = (typeof CONSENT_STATUSES)[number]

/** Every step a consent's status may take. */
export const CONSENT_TRANSITIONS: Readonly<Record<ConsentStatus, readonly ConsentStatus[]>> = {
  pending: ['exchanging', 'refused', 'expired'],
  exchanging: ['completed', 'failed', 'pending', 'expired'],
  completed: [],
  refused: ['pending', 'expired'],
  failed: ['pending', 'expired'],
  expired: [],
}

/** Secrets of this consent's browser and the server; encrypted in the database. */
export interface ConsentSecrets {
  /** Returned with the callback. */
  state: string
  /** Proves that the same client requested the code. */
  code_verifier: string
  /** Returned in an id token. */
  nonce: string
  /** The cookie of the browser that continued from the link. */
  browser_key: string
}

export interface OAuthConsent extends TokenOwner {
  /** `auth_id` on the wire. */
  id: string
  /** The caller: the audit log names them when the user is back. */
  actor: Pick<Principal, 'kind' | 'name' | 'role'>
  /** `OAuthProvider.id`: recreating a provider under its slug makes another. */
  provider_key: string
  provider_id: string
  /** The requested scopes. */
  scopes: string[]
  /** The token to renew; `null`: an additional one. */
  token_id: string | null
  /** The agent to connect to the token. */
  agent_id: string | null
  is_default: boolean
  /** Whether the user is asked for a further account. */
  is_further: boolean
  /** Where the provider sends the browser with the code. */
  redirect_uri: string
  /** Equal for equal requests: they share one consent. */
  fingerprint: string
  /** SHA-256 of `secrets.state`, in hex. */
  state_hash: string
  secrets: ConsentSecrets
  status: ConsentStatus
  /** What went wrong, for the user. */
  problem: string | null
  /** `exchanging` belongs to one server until then, in ms since 1970 by the database's clock. */
  claimed_until: number | null
  created_at: string
  /** In ms since 1970. */
  expires_at: number
}

/** Methods change the status only along `CONSENT_TRANSITIONS`. */
export interface OAuthConsentStore {
  insert(consent: OAuthConsent): Promise<void>
  get(id: string): Promise<OAuthConsent | undefined>
  findByState(state_hash: string): Promise<OAuthConsent | undefined>
  /** A pending consent with this fingerprint that is valid until `after` at least. */
  findPending(fingerprint: string, after: number): Promise<OAuthConsent | undefined>
  /** How many consents of a caller, or of a workspace, are open and valid beyond `now`, counted up to `limit`. */
  countOpen(
    whose: Pick<TokenOwner, 'workspace_id'> & { user_id?: string },
    now: number,
    limit: number,
  ): Promise<number>
  /** Expires an owner's open consents except the newest `open`, and removes all but the newest `all`. */
  endOldest(owner: TokenOwner, keep: { open: number; all: number }): Promise<void>
  /**
   * To `exchanging` for `forMs`, by the database's clock. `false`: another server has it, it is past that, or too old
   * at `now`.
   */
  claim(id: string, times: { now: number; forMs: number }): Promise<boolean>
  /** From `exchanging`, or from `pending` to `refused`. `false`: it has another status by now. */
  settle(
    id: string,
    end: {
      status: 'completed' | 'failed' | 'pending' | 'refused'
      problem?: string
      token_id?: string
    },
  ): Promise<boolean>
  /** Moves it to `pending`, with new secrets. `false`: it is done, too old, or claimed. */
  restart(id: string, begin: { state_hash: string; secrets: ConsentSecrets }): Promise<boolean>
  /** Expires a provider's open consents. */
  end(provider_key: string): Promise<void>
  /** Removes a holder's consents in any status: a code that is being exchanged then has no owner. */
  deleteOfHolder(holder: GrantHolder): Promise<void>
  /** Marks outdated consents as expired, and removes those that expired before `forgetBefore`. */
  expire(now: number, forgetBefore: number): Promise<void>
}
