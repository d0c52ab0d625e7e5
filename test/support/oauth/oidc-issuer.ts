/** A real OpenID Connect provider on a free port of this machine. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'

export const AUDIENCE = 'https://runyard.test'
const SECRET = 'the-secret-of-every-client-of-the-tests'

export interface OidcIssuer {
  url: string
  /** A token for this subject, signed, with these claims; meant for `AUDIENCE` unless named. */
  token(subject: string, claims?: Record<string, unknown>, audience?: string): Promise<string>
  stop(): Promise<void>
}

export async function startOidcIssuer(): Promise<OidcIssuer> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const clients = new Map<string, Record<string, unknown>>()
  const provider = new Provider(url, await configuration(clients))
  server.on('request', provider.callback())
  return {
    url,
    async token(subject, claims = {}, audience = AUDIENCE) {
      clients.set(subject, claims)
      const response = await fetch(`${url}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${subject}:${SECRET}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource: audience }),
      })
      return ((await response.json()) as { access_token: string }).access_token
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A client is its own subject; which there are, and what their tokens claim, is told as it goes. */
async function configuration(
  clients: Map<string, Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const resourceServer = (audience: string) => ({
    audience,
    scope: '',
    accessTokenTTL: 600,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'RS256' } },
  })
  return {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', kid: 'of-the-tests' }] },
    cookies: { keys: ['cookies'] },
    clients: ['anna', 'bert', 'cleo'].map((client_id) => ({
      client_id,
      client_secret: SECRET,
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
    })),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_: unknown, audience: string) => resourceServer(audience),
      },
    },
    extraTokenClaims: (_: unknown, token: { clientId: string }) => clients.get(token.clientId),
    formats: {
      customizers: {
        // Claims that the provider sets itself are overwritten here.
        jwt: (_: unknown, { clientId }: { clientId: string }, jwt: { payload: object }) =>
          Object.assign(jwt.payload, clients.get(clientId)),
      },
    },
  }
}
