/**
 * Keeps tokens fresh: one caller at a time refreshes a token, however many ask on any server. The right to
 * do so is a claim on the token's row. It runs out, so that a server which dies blocks others no longer
 * than that.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, timestamp } from '../../../core/clock.ts'
import type { ControlPlaneStore } from '../../../core/deployment/control-plane-store.ts'
import { AppError } from '../../../core/errors.ts'
import type { Log } from '../../../core/log.ts'
import type { OAuthProvider } from '../../../core/oauth/provider.ts'
import type { OAuthToken } from '../../../core/oauth/token.ts'
import {
  type AuthorizationServers,
  Refused,
  type Renewed,
} from '../providers/authorization-server.ts'
import { tell } from './events.ts'

/** How long before its end a token is refreshed, in ms; for a short lifetime, a quarter of that. */
const EARLY_MS = 60_000
/** Longer than a provider may take to answer, in ms. A server that has died blocks others for this time. */
export const CLAIM_MS = 30_000
/** How often a caller that waits for another server's refresh looks for it, in ms. */
const LOOK_EVERY_MS = 100
/** The pause after a provider's failure, in ms: twice as long each time, up to a limit. */
const RETRY_MS = 5_000
const LONGEST_RETRY_MS = 600_000
/** How often the write of a new grant is tried: if it fails, the grant is lost. */
const WRITES = 3

/** The right to refresh a token, as it was taken. */
interface Claim {
  id: string
  holder: string
}

interface RefreshParts {
  /** How long a server's claim to refresh a token lasts, in ms. */
  claimMs: number
  store: ControlPlaneStore
  servers: AuthorizationServers
  clock: Clock
  log: Log
}

export class Refreshes {
  readonly #parts: RefreshParts
  /** Refreshes under way in this process, by token. */
  readonly #open = new Map<string, Promise<OAuthToken>>()

  constructor(parts: RefreshParts) {
    this.#parts = parts
  }

  /**
   * The token, ready for use. If it needs its person again, it comes back as `expired`. Throws `unavailable`
   * when the token has run out and its provider does not answer, `not_found` when it is deleted meanwhile.
   */
  async fresh(token: OAuthToken, provider: OAuthProvider): Promise<OAuthToken> {
    if (token.status === 'expired' || !this.#isDue(token)) return token
    const open = this.#open.get(token.id)
    if (open) return open
    const work = this.#renew(token, provider).finally(() => this.#open.delete(token.id))
    this.#open.set(token.id, work)
    return work
  }

  async #renew(token: OAuthToken, provider: OAuthProvider): Promise<OAuthToken> {
    const { tokens } = this.#parts.store.oauth
    for (;;) {
      const present = await tokens.get(token.id)
      if (!present) throw gone()
      if (present.status === 'expired' || !this.#isDue(present)) return present
      if (present.refresh_token === null) {
        if (this.#isGood(present)) return present
        const why = 'It has run out, and the provider gave nothing to refresh it with.'
        return this.#expire(present, why)
      }
      if (this.#mustWait(present)) return this.#stillGood(present)
      const holder = randomUUID()
      const { id, version } = present
      const claim = { id, version, holder, forMs: this.#parts.claimMs }
      if (await tokens.claimRefresh(claim)) return this.#ask(present, provider, holder)
      await delay(LOOK_EVERY_MS)
    }
  }

  async #ask(token: OAuthToken, provider: OAuthProvider, holder: string): Promise<OAuthToken> {
    const { servers } = this.#parts
    const claim = { id: token.id, holder }
    try {
      const granted = await servers.refresh(provider, token.refresh_token ?? '')
      return await this.#keep(token, granted, { claim, provider })
    } catch (error) {
      if (error instanceof Refused && error.isOfGrant) {
        return this.#expire(token, error.message, claim)
      }
      const later = await this.#later(token, error, claim)
      if (error instanceof AppError && error.code !== 'not_found') {
        return this.#stillGood(later, error)
      }
      throw error
    }
  }

  /** Ends the claim. Records an event for the first failure in a row; returns the token with its next try. */
  async #later(token: OAuthToken, error: unknown, claim: Claim): Promise<OAuthToken> {
    const { store, clock } = this.#parts
    const { refresh_failures: before } = token
    const waitMs = Math.min(RETRY_MS * 2 ** before, LONGEST_RETRY_MS)
    const patch = { retry_at: clock.now() + waitMs, refresh_failures: before + 1 }
    const reason = error instanceof AppError ? error.message : 'The new token could not be stored.'
    const event = { event_type: 'token_refresh_failed', reason, source: 'refresh' } as const
    await store.transaction(async (tx) => {
      const isHeld = await tx.oauth.tokens.endRefresh(claim, patch)
      if (isHeld && before === 0) await tell(tx, clock, token, event)
    })
    return { ...token, ...patch }
  }

  async #keep(
    token: OAuthToken,
    granted: Renewed,
    { claim, provider }: { claim: Claim; provider: OAuthProvider },
  ): Promise<OAuthToken> {
    const { access_token, refresh_token, expires_at, scopes } = granted
    const patch = {
      access_token,
      refresh_token,
      expires_at,
      ...(scopes && { scopes }),
      status: 'active',
      retry_at: null,
      refresh_failures: 0,
      updated_at: timestamp(this.#parts.clock),
    } as const
    const isKept = await this.#write(async (store) => {
      const { tokens } = store.oauth
      if (!(await tokens.endRefresh(claim, patch))) {
        // The claim has run out. Until there is a newer grant, this one is the only good one.
        if ((await tokens.get(token.id))?.version !== token.version) return false
        await tokens.update(token.id, patch)
      }
      const event = { event_type: 'token_refreshed', source: 'refresh' } as const
      await tell(store, this.#parts.clock, token, event)
      return true
    })
    if (isKept) return { ...token, ...patch, version: token.version + 1 }
    const present = await this.#parts.store.oauth.tokens.get(token.id)
    await this.#giveBack(token, granted, { provider, present })
    if (present) return present
    throw gone()
  }

  /** Revokes a grant that was not stored, unless the stored token has the same refresh token. */
  async #giveBack(
    token: OAuthToken,
    granted: Renewed,
    { provider, present }: { provider: OAuthProvider; present: OAuthToken | undefined },
  ): Promise<void> {
    if (present?.refresh_token === granted.refresh_token) return
    await this.#parts.servers.revoke(provider, granted).catch((error: unknown) => {
      this.#parts.log.warn({ err: error, token_id: token.id }, 'a token could not be given back')
    })
  }

  async #write(work: (store: ControlPlaneStore) => Promise<boolean>): Promise<boolean> {
    for (let left = WRITES - 1; ; left--) {
      try {
        return await this.#parts.store.transaction(work)
      } catch (error) {
        if (left === 0) throw error
        await delay(LOOK_EVERY_MS)
      }
    }
  }

  /** The provider is not asked again: it would refuse again. */
  async #expire(token: OAuthToken, reason: string, claim?: Claim): Promise<OAuthToken> {
    const { store, clock } = this.#parts
    const patch = { status: 'expired', updated_at: timestamp(clock) } as const
    await store.transaction(async (tx) => {
      const { tokens } = tx.oauth
      const present = await tokens.get(token.id)
      if (present?.version !== token.version || present.status === 'expired') return
      if (claim && !(await tokens.endRefresh(claim, patch))) return
      if (!claim) await tokens.update(token.id, patch)
      await tell(tx, clock, token, { event_type: 'token_expired', reason, source: 'refresh' })
    })
    const present = await store.oauth.tokens.get(token.id)
    if (!present) throw gone()
    return present
  }

  #stillGood(token: OAuthToken, cause?: unknown): OAuthToken {
    if (this.#isGood(token)) return token
    const waitMs = Math.max(0, (token.retry_at ?? 0) - this.#parts.clock.now())
    throw new AppError(
      'unavailable',
      `The token has run out, and ${token.provider_id} does not answer as it should; try again.`,
      { cause, retryAfterSeconds: Math.ceil(waitMs / 1000) },
    )
  }

  #mustWait({ retry_at }: OAuthToken): boolean {
    return retry_at !== null && retry_at > this.#parts.clock.now()
  }

  #isGood({ expires_at }: OAuthToken): boolean {
    return expires_at === null || Date.parse(expires_at) > this.#parts.clock.now()
  }

  #isDue({ expires_at, updated_at }: OAuthToken): boolean {
    if (expires_at === null) return false
    const end = Date.parse(expires_at)
    const early = Math.min(EARLY_MS, (end - Date.parse(updated_at)) / 4)
    return this.#parts.clock.now() >= end - early
  }
}

function gone(): AppError {
  return new AppError('not_found', 'The token was deleted meanwhile.')
}
