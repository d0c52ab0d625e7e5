/**
 * Signing in at the OpenID Connect issuer whose user tokens are accepted: the authorization code flow with
 * PKCE, by `oauth4webapi`.
 */
import * as oauth from 'oauth4webapi'
import { AppError } from '../../core/errors.ts'
import type { SessionHolder } from '../../core/people/session.ts'
import type { OidcClientSettings, VerifyUserToken } from '../../core/people/user-token.ts'

/** How long the issuer may take to answer, in ms. */
const TIMEOUT_MS = 10_000

/** The values that this browser must bring back, beside those from the issuer. */
export interface Kept {
  state: string
  nonce: string
  code_verifier: string
}

interface OidcParts {
  issuer: string
  settings: OidcClientSettings
  /** For id tokens: their audience is this client. */
  verifyIdToken: VerifyUserToken
  /** For access tokens that are signed: their audience is this API. */
  verifyUserToken: VerifyUserToken
  clockSkewMs: number
}

export class OidcSignIn {
  readonly #parts: OidcParts
  readonly #client: oauth.Client
  #server: Promise<oauth.AuthorizationServer> | undefined

  constructor(parts: OidcParts) {
    this.#parts = parts
    const { settings, clockSkewMs } = parts
    this.#client = {
      client_id: settings.clientId,
      [oauth.clockTolerance]: Math.ceil(clockSkewMs / 1000),
    }
  }

  get issuer(): string {
    return this.#parts.issuer
  }

  /** Where to send the person. Throws `unavailable` when the issuer does not answer. */
  async begin(redirect_uri: string): Promise<{ location: string; kept: Kept }> {
    const { authorization_endpoint } = await this.#discover()
    if (!authorization_endpoint) throw this.#away()
    const kept = {
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      code_verifier: oauth.generateRandomCodeVerifier(),
    }
    const url = new URL(authorization_endpoint)
    const params = {
      response_type: 'code',
      client_id: this.#client.client_id,
      redirect_uri,
      scope: this.#parts.settings.scopes,
      state: kept.state,
      nonce: kept.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(kept.code_verifier),
      code_challenge_method: 'S256',
    }
    for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
    return { location: url.href, kept }
  }

  /**
   * The person that has come back. Throws `forbidden` when the issuer refused, when the answer belongs to
   * another browser or another attempt, and for a person without a role here.
   */
  async finish(params: URLSearchParams, kept: Kept, redirect_uri: string): Promise<SessionHolder> {
    const tokens = await this.#exchange(params, kept, redirect_uri).catch((error: unknown) => {
      throw this.#asRefusal(error)
    })
    return { ...(await this.#identify(tokens)), kind: 'user', key_hash: null }
  }

  async #exchange(params: URLSearchParams, kept: Kept, redirect_uri: string) {
    const server = await this.#discover()
    const valid = oauth.validateAuthResponse(server, this.#client, params, kept.state)
    const { clientSecret } = this.#parts.settings
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      this.#client,
      clientSecret ? oauth.ClientSecretBasic(clientSecret) : oauth.None(),
      valid,
      redirect_uri,
      kept.code_verifier,
      this.#options(),
    )
    return oauth.processAuthorizationCodeResponse(server, this.#client, response, {
      expectedNonce: kept.nonce,
      requireIdToken: true,
    })
  }

  /** Some issuers name roles in the access token alone. */
  async #identify({ id_token = '', access_token }: oauth.TokenEndpointResponse) {
    const { verifyIdToken, verifyUserToken } = this.#parts
    return verifyIdToken(id_token, null).catch(async (refusal: unknown) => {
      const isWithoutRole = refusal instanceof AppError && refusal.code === 'forbidden'
      if (!isWithoutRole || !access_token.startsWith('eyJ')) throw refusal
      return verifyUserToken(access_token, null).catch(() => {
        throw refusal
      })
    })
  }

  /** Reads the metadata once; again after a failure. */
  #discover(): Promise<oauth.AuthorizationServer> {
    this.#server ??= this.#readDiscovery().catch((cause: unknown) => {
      this.#server = undefined
      throw this.#away(cause)
    })
    return this.#server
  }

  async #readDiscovery(): Promise<oauth.AuthorizationServer> {
    const url = new URL(this.#parts.issuer)
    const response = await oauth.discoveryRequest(url, this.#options())
    return oauth.processDiscoveryResponse(url, response)
  }

  /** The settings allow plain HTTP only for an issuer on this machine. */
  #options() {
    const isPlain = this.#parts.issuer.startsWith('http://')
    const signal = () => AbortSignal.timeout(TIMEOUT_MS)
    return { signal, [oauth.allowInsecureRequests]: isPlain }
  }

  #away(cause?: unknown): AppError {
    return new AppError('unavailable', `The issuer ${this.issuer} does not answer; try again.`, {
      cause,
    })
  }

  #asRefusal(cause: unknown): AppError {
    if (cause instanceof AppError) return cause
    if (cause instanceof oauth.AuthorizationResponseError) {
      return new AppError('forbidden', 'The issuer did not let you in. Try again.', { cause })
    }
    if (
      cause instanceof oauth.OperationProcessingError ||
      cause instanceof oauth.ResponseBodyError
    ) {
      const what = 'This answer of the issuer belongs to another attempt, or came too late.'
      return new AppError('forbidden', `${what} Try again.`, { cause })
    }
    return this.#away(cause)
  }
}
