/** Where some providers differ from the standard. */
import type { OAuthProvider, ProviderType } from '../../../core/oauth/provider.ts'

interface Ways {
  /** The scope to request for a refresh token. */
  refreshScope?: string
  /** The parameter for scopes of a person instead of a bot; separated by commas. */
  scopeParameter?: 'user_scope'
  /** The `prompt` for a further account, so that people can choose another. */
  choosingPrompt?: string
  /** Whether `prompt` may be one word only. */
  hasOnePrompt?: boolean
  /** The lifetime of a token when the provider names none, in seconds. */
  assumedLifetimeSecs?: number
  /** The revocation URL, from the URL of the token endpoint. */
  revocationUrl?: (tokenUrl: string) => string
}

const WAYS: Readonly<Record<ProviderType, Ways>> = {
  // https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow; it revokes nothing.
  microsoft: {
    refreshScope: 'offline_access',
    choosingPrompt: 'select_account',
    hasOnePrompt: true,
  },
  // Sessions end after two hours unless an administrator changes that, and answers do not contain the end.
  salesforce: {
    refreshScope: 'refresh_token',
    choosingPrompt: 'login',
    assumedLifetimeSecs: 2 * 3600,
    revocationUrl: (tokenUrl) => new URL('revoke', tokenUrl).href,
  },
  // https://docs.slack.dev/authentication/installing-with-oauth
  slack: {
    scopeParameter: 'user_scope',
    revocationUrl: (tokenUrl) => new URL('auth.revoke', tokenUrl).href,
  },
}

const STANDARD: Ways = { choosingPrompt: 'select_account' }

export function waysOf({ provider_type }: OAuthProvider): Ways {
  return provider_type === null ? STANDARD : WAYS[provider_type]
}

/**
 * The `prompt` of the authorization URL: the provider's own, joined with the choice of an account when a
 * further one is wanted. `none` cannot be joined (OpenID Connect Core 1.0, 3.1.2.1).
 */
export function promptOf(
  provider: OAuthProvider,
  { is_further }: { is_further: boolean },
): string | undefined {
  const { choosingPrompt, hasOnePrompt = false } = waysOf(provider)
  const { prompt: own } = provider.authorization_params
  if (!is_further || choosingPrompt === undefined) return own
  const others = hasOnePrompt ? [] : (own ?? '').split(' ').filter((one) => one && one !== 'none')
  return [...new Set([choosingPrompt, ...others])].join(' ')
}

/** From its metadata, else the known one of this provider type; `null`: it revokes no tokens. */
export function revocationUrlOf(provider: OAuthProvider): string | null {
  const { revocation_url, token_url } = provider
  return revocation_url ?? waysOf(provider).revocationUrl?.(token_url) ?? null
}
