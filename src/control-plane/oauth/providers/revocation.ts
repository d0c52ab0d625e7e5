/** Giving tokens back to their providers before they are deleted here. */
import type { OAuthProvider } from '../../../core/oauth/provider.ts'
import type { OAuthToken } from '../../../core/oauth/token.ts'
import type { OAuthParts } from '../parts.ts'

/** How many are given back at once: more would wait for each other until their time is over. */
const AT_ONCE = 8
/** How long a provider that does not answer may hold up a deletion, in ms. */
const LIMIT_MS = 60_000

/** A few at a time. Answers how many were taken back; one that was not keeps nobody from deleting. */
export async function revokeTokens(
  parts: Pick<OAuthParts, 'vault' | 'log'>,
  tokens: readonly OAuthToken[],
  providerOf: (token: OAuthToken) => Promise<OAuthProvider>,
): Promise<number> {
  const end = performance.now() + LIMIT_MS
  let revoked = 0
  for (let i = 0; i < tokens.length && performance.now() < end; i += AT_ONCE) {
    const some = tokens.slice(i, i + AT_ONCE)
    const all = await Promise.all(some.map((token) => isRevoked(parts, token, providerOf)))
    revoked += all.filter(Boolean).length
  }
  return revoked
}

async function isRevoked(
  { vault, log }: Pick<OAuthParts, 'vault' | 'log'>,
  token: OAuthToken,
  providerOf: (token: OAuthToken) => Promise<OAuthProvider>,
): Promise<boolean> {
  try {
    return await vault.servers.revoke(await providerOf(token), token)
  } catch (error) {
    const { message } = error as Error
    log.warn({ reason: message, token_id: token.id }, 'a token could not be given back')
    return false
  }
}
