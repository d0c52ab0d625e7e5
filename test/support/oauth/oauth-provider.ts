/**
 * A real authorization server on a free port of this machine: people log in, consent or say no; tokens
 * run out, are refreshed and given back. `oidc-provider` with its own pages.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'

const SECRET = 'the-secret-of-the-confidential-clients'

/** Answers instead of the provider; `false`: leaves it to it. */
export type Interference = (request: IncomingMessage, response: ServerResponse) => boolean

export interface TestOAuthProvider {
  url: string
  /** Requests to `/token` that came, by their grant. */
  readonly grants: string[]
  /** Tokens that were given back. */
  readonly revocations: number
  /** How long the access tokens to come are good, in seconds. */
  lifetimeSecs: number
  /** From now on asked first, until it is replaced. */
  interfere(interference: Interference | undefined): void
  /** A request to `POST /v2/auth/providers` for a client of it that comes back to `callback`. */
  clientFor(callback: string, change?: Record<string, unknown>): Record<string, unknown>
  stop(): Promise<void>
}

export interface TestOAuthProviderOptions {
  /** How long access tokens are good, in seconds. Default 3600. */
  lifetimeSecs?: number
  /** Whether each refresh brings another refresh token, and ends the one before. Default true. */
  isRotating?: boolean
}

export async function startOAuthProvider(
  options: TestOAuthProviderOptions = {},
): Promise<TestOAuthProvider> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const clients: Record<string, unknown>[] = []
  const grants: string[] = []
  let revocations = 0
  let interference: Interference | undefined
  const { lifetimeSecs = 3600, isRotating = true } = options
  const life = { secs: lifetimeSecs }
  const provider = new Provider(url, await configuration(clients, { life, isRotating }))
  const answer = provider.callback()
  server.on('request', (request, response) => {
    if (interference?.(request, response)) return
    // People choose an account here by logging in: the library knows no other way by itself.
    if (request.url?.startsWith('/auth?')) {
      request.url = request.url.replace('prompt=select_account', 'prompt=login')
    }
    if (request.url?.startsWith('/token/revocation')) revocations++
    else if (request.url?.startsWith('/token')) {
      request.once('data', (chunk) => {
        grants.push(new URLSearchParams(String(chunk)).get('grant_type') ?? '')
      })
    }
    answer(request, response)
  })
  return {
    url,
    grants,
    get lifetimeSecs() {
      return life.secs
    },
    set lifetimeSecs(secs) {
      life.secs = secs
    },
    get revocations() {
      return revocations
    },
    interfere(next) {
      interference = next
    },
    clientFor(callback, change = {}) {
      const client_id = `client-${clients.length + 1}`
      const method = String(change.token_endpoint_auth_method ?? 'client_secret_post')
      const client_secret = method === 'none' ? undefined : SECRET
      clients.push({
        client_id,
        ...(client_secret && { client_secret }),
        token_endpoint_auth_method: method,
        redirect_uris: [callback],
        grant_types: ['authorization_code', 'refresh_token'],
      })
      return {
        provider_id: 'acme',
        name: 'Acme',
        client_id,
        ...(client_secret && { client_secret }),
        auth_url: `${url}/auth`,
        token_url: `${url}/token`,
        revocation_url: `${url}/token/revocation`,
        uses_pkce: true,
        authorization_params: { prompt: 'consent' },
        ...change,
      }
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function configuration(
  clients: Record<string, unknown>[],
  { life, isRotating }: { life: { secs: number }; isRotating: boolean },
): Promise<Record<string, unknown>> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return {
    adapter: (model: string) => new Records(model === 'Client' ? clients : undefined),
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', kid: 'of-the-tests' }] },
    cookies: { keys: ['cookies'] },
    scopes: ['openid', 'offline_access', 'read', 'write'],
    claims: { openid: ['sub', 'email'] },
    conformIdTokenClaims: false,
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@acme.test` }),
    }),
    rotateRefreshToken: isRotating,
    issueRefreshToken: () => true,
    pkce: { required: () => false },
    ttl: {
      AccessToken: () => life.secs,
      Interaction: 600,
      Session: 600,
      Grant: 6000,
      // Tests set the clock of Runyard ahead, and not that of the provider.
      IdToken: 60_000_000,
      RefreshToken: 6000,
    },
    features: {
      devInteractions: { enabled: true },
      revocation: { enabled: true },
      registration: { enabled: true },
      // An MCP server is named as the resource that a token is for.
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: 'read write',
          accessTokenFormat: 'opaque',
          accessTokenTTL: life.secs,
        }),
        useGrantedResource: () => true,
      },
    },
  }
}

type Kept = Record<string, unknown>

/** What the provider keeps, in memory; of clients those that the test has made, too. */
class Records {
  readonly #kept = new Map<string, Kept>()
  readonly #clients: Kept[] | undefined

  constructor(clients: Kept[] | undefined) {
    this.#clients = clients
  }

  async upsert(id: string, payload: Kept): Promise<void> {
    this.#kept.set(id, payload)
  }

  async find(id: string): Promise<Kept | undefined> {
    return this.#kept.get(id) ?? this.#clients?.find((one) => one.client_id === id)
  }

  async findByUid(uid: string): Promise<Kept | undefined> {
    return [...this.#kept.values()].find((one) => one.uid === uid)
  }

  async consume(id: string): Promise<void> {
    const payload = this.#kept.get(id)
    if (payload) payload.consumed = Math.floor(Date.now() / 1000)
  }

  async destroy(id: string): Promise<void> {
    this.#kept.delete(id)
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [id, payload] of this.#kept) if (payload.grantId === grantId) this.#kept.delete(id)
  }
}
