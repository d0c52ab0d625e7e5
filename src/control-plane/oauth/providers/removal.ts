/**
 * Removes tokens: each is revoked at its provider first, if the provider supports it, and removed in any case. If a
 * provider does not answer, the upkeep tries again.
 */
import { addAbortListener } from 'node:events'
import type { ControlPlaneStore } from '../../../core/deployment/control-plane-store.ts'
import type { OAuthProvider } from '../../../core/oauth/provider.ts'
import { revocationOf } from '../../../core/oauth/revocation.ts'
import type { OAuthToken } from '../../../core/oauth/token.ts'
import type { OAuthParts } from '../../control-plane-parts.ts'
import { tell } from '../tokens/events.ts'
import { revocationUrlOf } from './types.ts'

/** How many tokens are revoked at once: more would wait for each other until their time is over. */
const AT_ONCE = 8
/** How many tokens are removed in a transaction. */
const PAGE = 40
/** How long providers that do not answer may hold up a request, in ms. */
const LIMIT_MS = 60_000

export type RemovalParts = Pick<OAuthParts, 'store' | 'vault' | 'clock' | 'log'>

export interface Removal {
  /** The next tokens to remove; empty: done. */
  next: (store: ControlPlaneStore, limit: number) => Promise<OAuthToken[]>
  providerOf: (token: OAuthToken) => Promise<OAuthProvider>
  /** The reason, as a sentence for the owners of the tokens. */
  reason?: string
  source: 'request' | 'cleanup'
  /** Called for each page, in the transaction that removes it; once if no tokens exist. */
  onRemoved?: (store: ControlPlaneStore, counts: RemovedCounts) => Promise<void>
  /** How long providers may take; 60 s by default. The remaining tokens are then removed without a request. */
  limitMs?: number
  /** Ends the removal between two pages, or while a provider is asked. */
  signal?: AbortSignal
}

export interface RemovedCounts {
  count: number
  /** How many were revoked at their providers. */
  revoked: number
}

/** Returns how many. After a crash at any point, it can be done again. */
export async function removeTokens(parts: RemovalParts, removal: Removal): Promise<RemovedCounts> {
  const until = performance.now() + (removal.limitMs ?? LIMIT_MS)
  const all = { count: 0, revoked: 0 }
  for (;;) {
    removal.signal?.throwIfAborted()
    const page = await removal.next(parts.store, PAGE)
    if (page.length === 0) break
    const given = await unlessAborted(
      revokePage(parts, page, { ...removal, until }),
      removal.signal,
    )
    const counts = await deletePage(parts, page, { ...removal, given })
    all.count += counts.count
    all.revoked += counts.revoked
  }
  const { onRemoved } = removal
  if (all.count === 0 && onRemoved) await parts.store.transaction((tx) => onRemoved(tx, all))
  const kept = all.count - all.revoked
  if (kept > 0) parts.log.warn({ count: kept }, 'tokens were removed that no provider took back')
  return all
}

/**
 * The result of a revocation. `true`: revoked. `false`: the provider takes back no tokens, or not this one. A
 * provider: it did not answer, or was not asked in time.
 */
type Given = boolean | OAuthProvider

/** Revokes a page of tokens; the results by token id. */
async function revokePage(
  parts: RemovalParts,
  tokens: readonly OAuthToken[],
  { providerOf, until }: Pick<Removal, 'providerOf'> & { until: number },
): Promise<Map<string, Given>> {
  const given = new Map<string, Given>()
  for (let i = 0; i < tokens.length; i += AT_ONCE) {
    const some = tokens.slice(i, i + AT_ONCE)
    const isLate = performance.now() >= until
    await Promise.all(
      some.map(async (token) => {
        const provider = await providerOf(token).catch(() => undefined)
        if (!provider) given.set(token.id, false)
        else given.set(token.id, isLate ? later(provider) : await revoke(parts, token, provider))
      }),
    )
  }
  return given
}

async function revoke(
  { vault, log }: RemovalParts,
  token: OAuthToken,
  provider: OAuthProvider,
): Promise<Given> {
  try {
    return await vault.servers.revoke(provider, token)
  } catch (error) {
    const { message } = error as Error
    log.warn({ reason: message, token_id: token.id }, 'a token could not be given back')
    return later(provider)
  }
}

function later(provider: OAuthProvider): Given {
  return revocationUrlOf(provider) === null ? false : provider
}

function deletePage(
  { store, clock }: RemovalParts,
  tokens: readonly OAuthToken[],
  removal: Removal & { given: ReadonlyMap<string, Given> },
): Promise<RemovedCounts> {
  const { reason, source, given, onRemoved } = removal
  return store.transaction(async (tx) => {
    const counts = { count: 0, revoked: 0 }
    for (const token of tokens) {
      if (!(await tx.oauth.tokens.delete(token.id))) continue
      const how = given.get(token.id) ?? false
      if (typeof how === 'object')
        await tx.oauth.revocations.insert(revocationOf(token, how, clock.now()))
      counts.count++
      counts.revoked += Number(how === true)
      const text = [reason, sentenceOf(how)].filter(Boolean).join(' ')
      const event = { event_type: 'token_deleted', source } as const
      await tell(tx, clock, token, { ...event, ...(text && { reason: text }) })
    }
    await onRemoved?.(tx, counts)
    return counts
  })
}

function sentenceOf(given: Given): string | undefined {
  if (given === true) return undefined
  const what = 'It was not revoked at the provider'
  return given === false ? `${what}.` : `${what} yet: Runyard tries again for a day.`
}

/** Settles as the work does, or rejects when `signal` is aborted before. */
export async function unlessAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const listening = signal && addAbortListener(signal, () => reject(signal.reason))
  return Promise.race([work, promise]).finally(() => listening?.[Symbol.dispose]())
}
