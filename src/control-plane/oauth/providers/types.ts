/** What some providers want to be asked otherwise than the standard says. */
import type { OAuthProvider, ProviderType } from '../../../core/oauth/provider.ts'

interface Ways {
  /** What has to be asked for to get a refresh token. */
  refreshScope?: string
  /** Scopes of a person instead of a bot; separated by commas. */
  scopeParameter?: 'user_scope'
  /** Added where a further account is wanted, so that people can choose another. */
  choosingAccount?: Record<string, string>
  /** How long a token is good where the provider does not say, in seconds. */
  assumedLifetimeSecs?: number
  /** Where tokens are given back, from the URL of the token endpoint. */
  revocationUrl?: (tokenUrl: string) => string
}

const WAYS: Readonly<Record<ProviderType, Ways>> = {
  // https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow; it revokes nothing.
  microsoft: { refreshScope: 'offline_access', choosingAccount: { prompt: 'select_account' } },
  // Sessions end after two hours unless an administrator says otherwise, and no answer tells when.
  salesforce: {
    refreshScope: 'refresh_token',
    choosingAccount: { prompt: 'login' },
    assumedLifetimeSecs: 2 * 3600,
    revocationUrl: (tokenUrl) => new URL('revoke', tokenUrl).href,
  },
  // https://docs.slack.dev/authentication/installing-with-oauth
  slack: {
    scopeParameter: 'user_scope',
    revocationUrl: (tokenUrl) => new URL('auth.revoke', tokenUrl).href,
  },
}

const STANDARD: Ways = { choosingAccount: { prompt: 'select_account' } }

export function waysOf({ provider_type }: OAuthProvider): Ways {
  return provider_type === null ? STANDARD : WAYS[provider_type]
}

/** As its metadata says, else as such a provider has it; `null`: it takes none back. */
export function revocationUrlOf(provider: OAuthProvider): string | null {
  const { revocation_url, token_url } = provider
  return revocation_url ?? waysOf(provider).revocationUrl?.(token_url) ?? null
}
