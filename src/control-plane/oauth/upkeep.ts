/**
 * The vault's upkeep, once a minute in the leading control plane: it deletes old records, removes the tokens of
 * API keys that are gone, revokes removed tokens at their providers, and refreshes tokens that were not used
 * for long.
 */
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import { requireProviderOf } from './providers/providers.ts'
import type { RemovalParts } from './providers/removal.ts'
import { revokeAgain } from './providers/revocations.ts'
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

function momentOf(ms: number): string {
  return new Date(ms).toISOString()
}
