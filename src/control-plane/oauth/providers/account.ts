/** The provider's account that a token belongs to, as far as the provider names it. */
import { AppError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { OAuthProvider } from '../../../core/oauth/provider.ts'
import type { TokenAnswer } from './token-answer.ts'

/** How far a provider's clock and this one may be apart, in ms. */
const SKEW_MS = 60_000

/** The nonce that an id token must contain, and the time of the check. */
interface Expected {
  nonce?: string
  now: number
}

export interface Account {
  account_id: string | null
  provider_account_label: string | null
  metadata: JsonObject
}

/**
 * The account in an answer of the token endpoint. Its id token came from there over TLS, so its signature
 * proves nothing more (OpenID Connect Core 1.0, 3.1.3.7). Throws `forbidden` when the id token belongs to
 * another client, consent or provider, or has run out: then the code did not come from this consent.
 */
export async function accountOf(
  provider: OAuthProvider,
  answer: TokenAnswer,
  expected: Expected,
): Promise<Account> {
  if (provider.provider_type === 'slack') return ofSlack(answer)
  if (provider.provider_type === 'salesforce') return ofSalesforce(answer)
  const claims = await claimsOf(provider, answer, expected)
  const labels = [claims.email, claims.preferred_username, claims.name, claims.sub]
  return {
    account_id: textOf(claims.sub),
    provider_account_label: labels.map(textOf).find((label) => label !== null) ?? null,
    metadata: {},
  }
}

async function claimsOf(
  { client_id, issuer }: OAuthProvider,
  { id_token }: TokenAnswer,
  { nonce, now }: Expected,
): Promise<Record<string, unknown>> {
  if (typeof id_token !== 'string') return {}
  const claims = await decode(id_token)
  if (issuer !== null && claims.iss !== issuer) {
    throw new AppError('forbidden', 'The id token comes from another provider.')
  }
  if (claims.exp !== undefined && claims.exp * 1000 + SKEW_MS <= now) {
    throw new AppError('forbidden', 'The id token has run out.')
  }
  if (![claims.aud ?? []].flat().includes(client_id)) {
    throw new AppError('forbidden', 'The id token is meant for another client.')
  }
  if (nonce !== undefined && claims.nonce !== nonce) {
    throw new AppError('forbidden', 'The code belongs to another consent.')
  }
  return claims
}

/** Loads the library only when needed: it is large, and most servers never need it. */
async function decode(id_token: string) {
  const { decodeJwt } = await import('jose')
  try {
    return decodeJwt(id_token)
  } catch (cause) {
    throw new AppError('unavailable', 'The provider sent an id token that is none.', { cause })
  }
}

function ofSlack({ id, user_id, team }: TokenAnswer): Account {
  const { id: teamId, name } = (team ?? {}) as { id?: unknown; name?: unknown }
  const user = textOf(id) ?? textOf(user_id)
  return {
    account_id: user && [textOf(teamId), user].filter(Boolean).join('/'),
    provider_account_label: textOf(name),
    metadata: textOf(teamId) === null ? {} : { team_id: String(teamId) },
  }
}

/** `id` is the URL of the identity; calls go to the instance that is named beside it. */
function ofSalesforce({ id, instance_url }: TokenAnswer): Account {
  return {
    account_id: textOf(id),
    provider_account_label: null,
    metadata: textOf(instance_url) === null ? {} : { instance_url: String(instance_url) },
  }
}

/** One line of at most 256 characters, whatever a provider sends. */
function textOf(value: unknown): string | null {
  if (typeof value !== 'string') return null
  return (
    value
      .replace(/\p{Cc}/gu, '')
      .slice(0, 256)
      .toWellFormed() || null
  )
}
