/** Removing tokens: each is given back to its provider first, where that takes it, and goes in any case. */
import type { ControlPlaneStore } from '../../../core/deployment/control-plane-store.ts'
import type { OAuthProvider } from '../../../core/oauth/provider.ts'
import type { OAuthToken } from '../../../core/oauth/token.ts'
import type { OAuthParts } from '../parts.ts'
import { tell } from '../tokens/events.ts'

/** How many are given back at once: more would wait for each other until their time is over. */
const AT_ONCE = 8
/** How many are removed in a transaction. */
const PAGE = 40
/** How long providers that do not answer may hold up a request, in ms. */
const LIMIT_MS = 60_000

export type RemovalParts = Pick<OAuthParts, 'store' | 'vault' | 'clock' | 'log'>

export interface Removal {
  /** The first of those that are left; none: it is done. */
  next: (store: ControlPlaneStore, limit: number) => Promise<OAuthToken[]>
  providerOf: (token: OAuthToken) => Promise<OAuthProvider>
  /** Why, as a sentence, for the people whose they were. */
  reason?: string
  source: 'request' | 'cleanup'
  /** Told of each page, in the transaction that removes it; once where there is none. */
  onRemoved?: (store: ControlPlaneStore, counts: RemovedCounts) => Promise<void>
  /** How long providers may take; 60 s by default. What is left then is removed all the same. */
  limitMs?: number
  /** Ends it between two pages, or while a provider is asked. */
  signal?: AbortSignal
}

export interface RemovedCounts {
  count: number
  /** How many of them their providers took back. */
  revoked: number
}

/** Answers how many. Killed anywhere, it can be done again. */
export async function removeTokens(parts: RemovalParts, removal: Removal): Promise<RemovedCounts> {
  const until = performance.now() + (removal.limitMs ?? LIMIT_MS)
  const all = { count: 0, revoked: 0 }
  for (;;) {
    removal.signal?.throwIfAborted()
    const page = await removal.next(parts.store, PAGE)
    if (page.length === 0) break
    const revoked = await unlessAborted(revokePage(parts, page, { ...removal, until }), removal)
    const counts = await deletePage(parts, page, { ...removal, revoked })
    all.count += counts.count
    all.revoked += counts.revoked
  }
  const { onRemoved } = removal
  if (all.count === 0 && onRemoved) await parts.store.transaction((tx) => onRemoved(tx, all))
  const kept = all.count - all.revoked
  if (kept > 0) parts.log.warn({ count: kept }, 'tokens were removed that no provider took back')
  return all
}

/** Answers the ids of those that their providers took back. */
async function revokePage(
  parts: RemovalParts,
  tokens: readonly OAuthToken[],
  { providerOf, until }: Pick<Removal, 'providerOf'> & { until: number },
): Promise<Set<string>> {
  const revoked = new Set<string>()
  for (let i = 0; i < tokens.length && performance.now() < until; i += AT_ONCE) {
    const some = tokens.slice(i, i + AT_ONCE)
    await Promise.all(
      some.map(async (token) => {
        if (await isRevoked(parts, token, providerOf)) revoked.add(token.id)
      }),
    )
  }
  return revoked
}

async function isRevoked(
  { vault, log }: RemovalParts,
  token: OAuthToken,
  providerOf: Removal['providerOf'],
): Promise<boolean> {
  try {
    return await vault.servers.revoke(await providerOf(token), token)
  } catch (error) {
    const { message } = error as Error
    log.warn({ reason: message, token_id: token.id }, 'a token could not be given back')
    return false
  }
}

function deletePage(
  { store, clock }: RemovalParts,
  tokens: readonly OAuthToken[],
  removal: Removal & { revoked: ReadonlySet<string> },
): Promise<RemovedCounts> {
  const { reason, source, revoked, onRemoved } = removal
  return store.transaction(async (tx) => {
    const counts = { count: 0, revoked: 0 }
    for (const token of tokens) {
      if (!(await tx.oauth.tokens.delete(token.id))) continue
      const isRevoked = revoked.has(token.id)
      counts.count++
      counts.revoked += Number(isRevoked)
      const why = [reason, isRevoked ? undefined : 'It was not revoked at the provider.']
      const text = why.filter(Boolean).join(' ')
      const event = { event_type: 'token_deleted', source } as const
      await tell(tx, clock, token, { ...event, ...(text && { reason: text }) })
    }
    await onRemoved?.(tx, counts)
    return counts
  })
}

function unlessAborted<T>(work: Promise<T>, { signal }: Removal): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
