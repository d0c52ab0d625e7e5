/**
 * The vault's upkeep, once a minute in the leading control plane: it deletes old records, removes the tokens of
 * API keys that are gone, revokes removed tokens at their providers, and refreshes tokens that were not used
 * for long.
 */
import { momentOf } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import {
  MOST_ATTEMPTS,
  type OAuthRevocation,
  revocationWaitMs,
} from '../../core/oauth/revocation.ts'
import { requireProviderOf } from './providers/providers.ts'
import { type RemovalParts, unlessAborted } from './providers/removal.ts'
import { removeGrants } from './tokens/holders.ts'

const EVERY_MS = 60_000
const DAY_MS = 24 * 3_600_000
/** How long a link is remembered after its end, in ms. */
const CONSENT_KEPT_MS = DAY_MS
/** How long events of tokens are kept, in ms. */
const EVENT_KEPT_MS = 90 * DAY_MS
/** How often an unused token is refreshed, in ms: providers end tokens that were not used for weeks. */
const IDLE_MS = 7 * DAY_MS
/** The most holders and refreshes in a round. */
const HOLDERS = 20
const REFRESHES = 50
/** How long providers may hold up the removal of one holder's tokens, in ms. */
const REVOKE_MS = 300_000

export class Upkeep {
  readonly #parts: RemovalParts
  readonly #stopping = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> | undefined

  constructor(parts: RemovalParts) {
    this.#parts = parts
  }

  start(): void {
    this.#timer = setInterval(() => this.#begin(() => this.work()), EVERY_MS).unref()
    this.#begin(async () => {
      await this.tryPlatformProviders()
      await this.work()
    })
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#stopping.abort()
    await this.#working
  }

  /** Retries failed refreshes: the file is read at the start, and may have been corrected. */
  async tryPlatformProviders(): Promise<void> {
    const { store, vault } = this.#parts
    for (const { id } of vault.platformProviders.values()) {
      await store.oauth.tokens.forgetFailures(id)
    }
  }

  /** One round. */
  async work(): Promise<void> {
    const { store, clock } = this.#parts
    const now = clock.now()
    await store.oauth.consents.expire(now, now - CONSENT_KEPT_MS)
    await store.oauth.events.forget(momentOf(now - EVENT_KEPT_MS))
    await this.#removeLost(store, momentOf(now))
    await revokeAgain(this.#parts, this.#stopping.signal)
    await this.#refreshIdle(store, now)
  }

  #begin(work: () => Promise<void>): void {
    this.#working ??= work()
      .catch((error: unknown) => {
        if (this.#stopping.signal.aborted) return
        this.#parts.log.error({ err: error }, 'the token vault could not be tidied; trying again')
      })
      .finally(() => {
        this.#working = undefined
      })
  }

  async #removeLost({ oauth }: ControlPlaneStore, now: string): Promise<void> {
    const { signal } = this.#stopping
    for (const holder of await oauth.tokens.listLostHolders(now, HOLDERS)) {
      const reason = 'Its API key was revoked or has expired.'
      const how = { reason, source: 'cleanup', limitMs: REVOKE_MS, signal } as const
      const { count, revoked } = await removeGrants(this.#parts, holder, how)
      this.#parts.log.info({ ...holder, count, revoked }, 'tokens of a lost owner were removed')
    }
  }

  async #refreshIdle({ oauth }: ControlPlaneStore, now: number): Promise<void> {
    const { vault, log } = this.#parts
    const times = { now: momentOf(now), before: momentOf(now - IDLE_MS) }
    for (const token of await oauth.tokens.listIdle(times, REFRESHES)) {
      if (this.#stopping.signal.aborted) return
      try {
        await vault.refreshes.fresh(token, await requireProviderOf(this.#parts, token))
      } catch (error) {
        const { message: reason } = error as Error
        log.debug({ reason, token_id: token.id }, 'an idle token could not be refreshed')
      }
    }
  }
}

/** How many tokens a round revokes, and how many at once. */
const PER_ROUND = 40
const AT_ONCE = 8

/** One round of the upkeep. Rejects when `signal` is aborted: a provider must not keep the server from stopping. */
async function revokeAgain(parts: RemovalParts, signal: AbortSignal): Promise<void> {
  const due = await parts.store.oauth.revocations.listDue(parts.clock.now(), PER_ROUND)
  for (let i = 0; i < due.length; i += AT_ONCE) {
    signal.throwIfAborted()
    const some = due.slice(i, i + AT_ONCE)
    await unlessAborted(Promise.all(some.map((one) => tryAgain(parts, one))), signal)
  }
}

async function tryAgain(parts: RemovalParts, revocation: OAuthRevocation): Promise<void> {
  const { store, vault, clock, log } = parts
  const { id, provider, grant } = revocation
  const { revocations } = store.oauth
  if (await isGivenAnew(store, revocation)) return revocations.delete(id)
  try {
    await vault.servers.revoke(provider, { ...grant, expires_at: null })
    await revocations.delete(id)
  } catch (error) {
    const attempts = revocation.attempts + 1
    const about = { reason: (error as Error).message, token_id: id, attempts }
    if (attempts >= MOST_ATTEMPTS) {
      log.warn(about, 'no provider has taken a token back that is gone here; it is left to run out')
      return revocations.delete(id)
    }
    log.debug(about, 'a token could not be given back; its provider is asked again')
    await revocations.postpone(id, { attempts, next_at: clock.now() + revocationWaitMs(attempts) })
  }
}

/** Whether the owner has a newer token: revoking one token of an account may revoke all. */
async function isGivenAnew(
  { oauth }: Pick<ControlPlaneStore, 'oauth'>,
  { provider, ...owner }: OAuthRevocation,
): Promise<boolean> {
  return (await oauth.tokens.listOf(owner, provider.id)).length > 0
}
