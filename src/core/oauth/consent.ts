/**
 * A consent: what was asked of a person, from the link that they open to the token that comes of it.
 *
 * ```
 * pending ──the provider sends a code──▶ exchanging ──token stored──▶ completed
 *  ▲  ▲ │                                 │   │
 *  │  │ └──the person says no──▶ refused  │   └──the provider refuses the code──▶ failed
 *  │  └────────the provider is down───────┘      or grants less than was asked for   │
 *  └───────────the person goes on from the link again (refused, failed)──────────────┘
 * ```
 * Whoever goes on from the link gets other secrets, also while it is `pending`: only the last of them
 * can end it.
 * Each but `completed` becomes `expired` in time. `exchanging` is claimed for a while: where a server
 * dies in it, the same callback may come again.
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

/** What only this consent's own browser and server know; encrypted in the database. */
export interface ConsentSecrets {
  /** Comes back with the callback. */
  state: string
  /** Proves that who exchanges the code has asked for it. */
  code_verifier: string
  /** Comes back within an id token. */
  nonce: string
  /** The cookie of the browser that has gone on from the link. */
  browser_key: string
}

export interface OAuthConsent extends TokenOwner {
  /** `auth_id` on the wire. */
  id: string
  /** Who asked: the audit log names them when the person is back. */
  actor: Pick<Principal, 'kind' | 'name' | 'role'>
  /** `OAuthProvider.id`: a provider made anew under the same slug is another. */
  provider_key: string
  provider_id: string
  /** What is asked for. */
  scopes: string[]
  /** The token that is to be granted anew; `null`: a further one. */
  token_id: string | null
  /** The agent that is to be connected to the token. */
  agent_id: string | null
  is_default: boolean
  /** Whether the person is to choose another account than those that there are. */
  is_further: boolean
  /** Where the provider sends the browser with the code. */
  redirect_uri: string
  /** The same for the same question: it is not asked twice at once. */
  fingerprint: string
  /** SHA-256 of `secrets.state`, in hex. */
  state_hash: string
  secrets: ConsentSecrets
  status: ConsentStatus
  /** What went wrong, for people. */
  problem: string | null
  /** Until then `exchanging` is one server's, in ms since 1970 by the database's clock. */
  claimed_until: number | null
  created_at: string
  /** In ms since 1970. */
  expires_at: number
}

/** Each method that changes the status only does so from one that leads there. */
export interface OAuthConsentStore {
  insert(consent: OAuthConsent): Promise<void>
  get(id: string): Promise<OAuthConsent | undefined>
  findByState(state_hash: string): Promise<OAuthConsent | undefined>
  /** A pending one with this fingerprint that is good until `after` at least. */
  findPending(fingerprint: string, after: number): Promise<OAuthConsent | undefined>
  /** How many of a caller's, or of a workspace's, are open and good beyond `now`, counted up to `limit`. */
  countOpen(
    whose: Pick<TokenOwner, 'workspace_id'> & { user_id?: string },
    now: number,
    limit: number,
  ): Promise<number>
  /**
   * Of an owner's open ones all but the newest are expired from now on, and of `all` that there are those before the
   * newest are forgotten.
   */
  endOldest(owner: TokenOwner, keep: { open: number; all: number }): Promise<void>
  /**
   * To `exchanging` for `forMs`, by the database's clock. `false`: another has it, it is past that, or too
   * old at `now`.
   */
  claim(id: string, times: { now: number; forMs: number }): Promise<boolean>
  /** From `exchanging`, or from `pending` to `refused`. `false`: it was not there any more. */
  settle(
    id: string,
    end: {
      status: 'completed' | 'failed' | 'pending' | 'refused'
      problem?: string
      token_id?: string
    },
  ): Promise<boolean>
  /** To `pending`, with other secrets. `false`: it is done, too old, or claimed. */
  restart(id: string, begin: { state_hash: string; secrets: ConsentSecrets }): Promise<boolean>
  /** A provider's open ones are expired from now on. */
  end(provider_key: string): Promise<void>
  /** Removes a holder's, whatever has become of them: a code that is being exchanged then is nobody's. */
  deleteOfHolder(holder: GrantHolder): Promise<void>
  /** Marks what is past its time as expired, and forgets what was so before `forgetBefore`. */
  expire(now: number, forgetBefore: number): Promise<void>
}
