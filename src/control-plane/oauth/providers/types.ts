/** What some providers want to be asked otherwise than the standard says. */
import type { OAuthProvider, ProviderType } from '../../../core/oauth/provider.ts'

interface Ways {
  /** What has to be asked for to get a refresh token. */
  refreshScope?: string
  /** Scopes of a person instead of a bot; separated by commas. */
  scopeParameter?: 'user_scope'
  /** The `prompt` where a further account is wanted, so that people can choose another. */
  choosingPrompt?: string
  /** Whether `prompt` may be one word only. */
  hasOnePrompt?: boolean
  /** How long a token is good where the provider does not say, in seconds. */
  assumedLifetimeSecs?: number
  /** Where tokens are given back, from the URL of the token endpoint. */
  revocationUrl?: (tokenUrl: string) => string
}

const WAYS: Readonly<Record<ProviderType, Ways>> = {
  // https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow; it revokes nothing.
  microsoft: {
    refreshScope: 'offline_access',
    choosingPrompt: 'select_account',
    hasOnePrompt: true,
  },
  // Sessions end after two hours unless an administrator says otherwise, and no answer tells when.
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
 * The `prompt` of the address that people are sent to: the provider's own, joined with the choice of an
 * account where a further one is wanted. `none` stands alone (OpenID Connect Core 1.0, 3.1.2.1).
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

/** As its metadata says, else as such a provider has it; `null`: it takes none back. */
export function revocationUrlOf(provider: OAuthProvider): string | null {
  const { revocation_url, token_url } = provider
  return revocation_url ?? waysOf(provider).revocationUrl?.(token_url) ?? null
}
