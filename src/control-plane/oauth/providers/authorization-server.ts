/** Talks with authorization servers, by `oauth4webapi`: sends people there, gets, refreshes and gives back tokens. */
import * as oauth from 'oauth4webapi'
import { type Clock, momentOf } from '../../../core/clock.ts'
import { AppError } from '../../../core/errors.ts'
import type { Outgoing } from '../../../core/network/outgoing.ts'
import type { OAuthConsent } from '../../../core/oauth/consent.ts'
import {
  challengeMethodOf,
  isPublicClient,
  type OAuthProvider,
} from '../../../core/oauth/provider.ts'
import type { OAuthGrant } from '../../../core/oauth/token.ts'
import { type Account, accountOf } from './account.ts'
import { normalize, scopesIn, type TokenAnswer } from './token-answer.ts'
import { promptOf, revocationUrlOf, waysOf } from './types.ts'

/** The result of a refresh. */
export interface Renewed extends OAuthGrant {
  /** `undefined`: as requested. */
  scopes: string[] | undefined
}

/** A grant as the provider gave it, and its account. */
export interface Granted extends Renewed, Account {}

/**
 * Error codes after which only the person can help: `invalid_grant` of RFC 6749, the codes that GitHub, Slack
 * and Salesforce use instead, and Microsoft's when the person has to log in or consent again.
 */
const TOKEN_REFUSALS = [
  'invalid_grant',
  ...['bad_refresh_token', 'invalid_refresh_token'],
  ...['token_revoked', 'token_expired', 'account_inactive', 'inactive_user'],
  ...['interaction_required', 'login_required', 'consent_required'],
]

/** A token counts as valid for this long at least: otherwise each request would refresh it again. */
const SHORTEST_SECS = 5

/** The provider refuses a request: its content or its client. */
export class Refused extends AppError {
  /** Whether the code or the refresh token is invalid; otherwise the provider has not judged it. */
  readonly isOfGrant: boolean

  constructor(message: string, error: oauth.ResponseBodyError | oauth.AuthorizationResponseError) {
    super('bad_request', message, { cause: withoutBody(error) })
    this.name = 'Refused'
    this.isOfGrant = TOKEN_REFUSALS.includes(error.error)
  }
}

/**
 * Every method but the first asks the provider, and throws `unavailable` when it is slow, down or answers
 * nonsense. No message contains a part of a token, a code or a secret.
 */
export class AuthorizationServers {
  readonly #outgoing: Outgoing
  readonly #clock: Clock

  constructor(outgoing: Outgoing, clock: Clock) {
    this.#outgoing = outgoing
    this.#clock = clock
  }

  /** Where the person's browser is sent. */
  async authorizationUrl(provider: OAuthProvider, consent: OAuthConsent): Promise<string> {
    const { refreshScope, scopeParameter = 'scope' } = waysOf(provider)
    const prompt = promptOf(provider, consent)
    const { state, nonce } = consent.secrets
    const scopes = [...new Set([...consent.scopes, ...(refreshScope ? [refreshScope] : [])])]
    const parameters = {
      ...provider.authorization_params,
      ...(prompt && { prompt }),
      response_type: 'code',
      client_id: provider.client_id,
      redirect_uri: consent.redirect_uri,
      state,
      ...(scopes.length > 0 && {
        [scopeParameter]: scopes.join(scopeParameter === 'scope' ? ' ' : ','),
      }),
      ...(scopes.includes('openid') && { nonce }),
      ...(provider.mcp_server_url !== null && { resource: provider.mcp_server_url }),
      ...(await challengeOf(provider, consent)),
    }
    const url = new URL(provider.auth_url)
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url.href
  }

  /**
   * `callback`: the parameters that the browser came back with. Throws `Refused`, and `forbidden` if they
   * belong to another provider or consent.
   */
  async exchange(
    provider: OAuthProvider,
    consent: OAuthConsent,
    callback: URLSearchParams,
  ): Promise<Granted> {
    const as = serverOf(provider)
    const client = { client_id: provider.client_id }
    const { state, code_verifier, nonce } = consent.secrets
    const exchange = this.#exchangeOf(provider)
    const checked = checkedAnswer(provider, () =>
      oauth.validateAuthResponse(as, client, callback, state),
    )
    return this.#asking(provider, async () => {
      const response = await oauth.authorizationCodeGrantRequest(
        as,
        client,
        clientAuth(provider),
        checked,
        consent.redirect_uri,
        challengeMethodOf(provider) ? code_verifier : oauth.nopkce,
        exchange.options,
      )
      const result = await oauth.processAuthorizationCodeResponse(as, client, response)
      const hasNonce = consent.scopes.includes('openid')
      const expected = { ...(hasNonce && { nonce }), now: this.#clock.now() }
      const account = await accountOf(provider, exchange.answer, expected)
      return { ...account, ...this.#renewed(provider, result) }
    })
  }

  /** Throws `Refused`. If the provider sends no new refresh token, the old one stays. */
  async refresh(provider: OAuthProvider, refresh_token: string): Promise<Renewed> {
    const as = serverOf(provider)
    const client = { client_id: provider.client_id }
    const { options } = this.#exchangeOf(provider)
    return this.#asking(provider, async () => {
      const response = await oauth.refreshTokenGrantRequest(
        as,
        client,
        clientAuth(provider),
        refresh_token,
        options,
      )
      const result = await oauth.processRefreshTokenResponse(as, client, response)
      const renewed = this.#renewed(provider, result)
      return { ...renewed, refresh_token: renewed.refresh_token ?? refresh_token }
    })
  }

  /** Revokes the grant, the refresh token first. `false`: the provider does not take the access token back. */
  async revoke(provider: OAuthProvider, grant: OAuthGrant): Promise<boolean> {
    const url = revocationUrlOf(provider)
    if (url === null) return false
    const { access_token, refresh_token } = grant
    return this.#asking(provider, async () => {
      if (refresh_token) await this.#giveBack(provider, { url, token: refresh_token })
      return access_token !== '' && this.#giveBack(provider, { url, token: access_token })
    })
  }

  async #giveBack(
    provider: OAuthProvider,
    { url, token }: { url: string; token: string },
  ): Promise<boolean> {
    if (provider.provider_type === 'slack') {
      const headers = { authorization: `Bearer ${token}` }
      const response = await this.#outgoing.fetch(url, { method: 'POST', headers })
      // Slack refuses with 200.
      return response.ok && (await normalize(provider, response)).answer.ok === true
    }
    const as = { ...serverOf(provider), revocation_endpoint: url }
    const client = { client_id: provider.client_id }
    const { options } = this.#exchangeOf(provider)
    const { additionalParameters: _, ...revoking } = options
    const response = await oauth.revocationRequest(
      as,
      client,
      clientAuth(provider),
      token,
      revoking,
    )
    await oauth.processRevocationResponse(response)
    return true
  }

  /** Options for the library, and the answer that came with them. */
  #exchangeOf(provider: OAuthProvider) {
    const { mcp_server_url: resource } = provider
    const exchange = {
      answer: {} as TokenAnswer,
      options: {
        // `Outgoing` decides which URLs need no TLS.
        [oauth.allowInsecureRequests]: true,
        [oauth.customFetch]: async (url: string, init: object) => {
          const response = await this.#outgoing.fetch(url, init)
          const normal = await normalize(provider, response)
          exchange.answer = normal.answer
          return normal.response
        },
        ...(resource !== null && { additionalParameters: { resource } }),
      } as oauth.TokenEndpointRequestOptions,
    }
    return exchange
  }

  async #asking<T>(provider: OAuthProvider, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw asRefusal(provider, error)
    }
  }

  #renewed(provider: OAuthProvider, result: oauth.TokenEndpointResponse): Renewed {
    const told = result.expires_in ?? waysOf(provider).assumedLifetimeSecs
    const lifetime = told === undefined ? undefined : Math.max(told, SHORTEST_SECS)
    const expires = lifetime === undefined ? undefined : this.#clock.now() + lifetime * 1000
    return {
      access_token: result.access_token,
      refresh_token: result.refresh_token ?? null,
      expires_at: expires === undefined ? null : momentOf(expires),
      scopes: result.scope === undefined ? undefined : scopesIn(result.scope),
    }
  }
}

/** Throws `forbidden` when another provider has answered (RFC 9207), `Refused` for an error. */
function checkedAnswer(provider: OAuthProvider, check: () => URLSearchParams): URLSearchParams {
  try {
    return check()
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) {
      throw new Refused(`${provider.name} refuses: ${wordOf(error.error)}.`, error)
    }
    const cause = withoutBody(error)
    throw new AppError('forbidden', 'This answer comes from another provider.', { cause })
  }
}

function serverOf(provider: OAuthProvider): oauth.AuthorizationServer {
  const { auth_url, token_url, issuer, is_issuer_sent } = provider
  return {
    issuer: issuer ?? new URL(token_url).origin,
    authorization_endpoint: auth_url,
    token_endpoint: token_url,
    authorization_response_iss_parameter_supported: is_issuer_sent,
  }
}

function clientAuth(provider: OAuthProvider): oauth.ClientAuth {
  const { client_secret, token_endpoint_auth_method: method } = provider
  if (client_secret === null || isPublicClient(provider)) return oauth.None()
  return method === 'client_secret_basic'
    ? oauth.ClientSecretBasic(client_secret)
    : oauth.ClientSecretPost(client_secret)
}

async function challengeOf(
  provider: OAuthProvider,
  { secrets: { code_verifier } }: OAuthConsent,
): Promise<Record<string, string>> {
  const code_challenge_method = challengeMethodOf(provider)
  if (code_challenge_method === null) return {}
  const code_challenge =
    code_challenge_method === 'plain'
      ? code_verifier
      : await oauth.calculatePKCECodeChallenge(code_verifier)
  return { code_challenge, code_challenge_method }
}

/** Statuses of a provider that is busy, and does not refuse. */
const BUSY = [408, 425, 429]

function asRefusal(provider: OAuthProvider, error: unknown): AppError {
  if (error instanceof AppError && error.code !== 'unavailable') return error
  if (error instanceof AppError) {
    return new AppError('unavailable', `${provider.name} cannot be reached now.`, { cause: error })
  }
  if (error instanceof oauth.ResponseBodyError && !BUSY.includes(error.status)) {
    const isRefusal = error.status < 500 && error.error !== 'temporarily_unavailable'
    if (isRefusal) return new Refused(`${provider.name} refuses: ${wordOf(error.error)}.`, error)
  }
  const message = `${provider.name} gives no answer that makes sense.`
  return new AppError('unavailable', message, { cause: withoutBody(error) })
}

/** An error code in the standard's alphabet; any other text might contain a secret. */
function wordOf(code: string): string {
  return /^[a-z_]{1,64}$/.test(code) ? code : 'without a known reason'
}

/** The library's errors carry the whole response, which may contain tokens: it must not be logged. */
function withoutBody(error: unknown): Error {
  const { name, message, code } = error as Error & { code?: string }
  return new Error(`${name}: ${code ?? message}`)
}
