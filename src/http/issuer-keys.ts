/** Finds the public keys of an OpenID Connect issuer through its discovery document. */
import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose'
import { z } from 'zod'
import { AppError } from '../core/errors.ts'

/** How long the issuer may take to answer, in ms. */
const TIMEOUT_MS = 5_000

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url() })

/**
 * Fetches the keys at the first use and keeps them. Fetches them again for an unknown key, and after a failure. Throws
 * `unavailable` when the issuer responds incorrectly.
 */
export function issuerKeys(issuer: string): JWTVerifyGetKey {
  let found: Promise<JWTVerifyGetKey> | undefined
  const discover = () => {
    found ??= discoverKeys(issuer).catch((error: unknown) => {
      found = undefined
      throw error
    })
    return found
  }
  return async (header, token) => (await discover())(header, token)
}

async function discoverKeys(issuer: string): Promise<JWTVerifyGetKey> {
  const { jwks_uri } = await readDiscovery(issuer).catch((cause) => {
    throw new AppError(
      'unavailable',
      `The issuer ${issuer} does not say where its keys are; try again, or look at its ` +
        '/.well-known/openid-configuration.',
      { cause },
    )
  })
  return createRemoteJWKSet(new URL(jwks_uri), { timeoutDuration: TIMEOUT_MS })
}

/**
 * Reads the document of OpenID Connect Discovery 1.0, section 4. It must name the issuer exactly as the
 * configuration does.
 */
async function readDiscovery(issuer: string): Promise<z.infer<typeof Discovery>> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!response.ok) throw new Error(`${url} answers ${response.status}`)
  const discovery = Discovery.parse(await response.json())
  if (discovery.issuer !== issuer) throw new Error(`${url} names the issuer ${discovery.issuer}`)
  refuseUnsafe(discovery.jwks_uri, issuer)
  return discovery
}

/**
 * Throws for keys over plain HTTP, which would prove nothing, unless the issuer itself is reached that
 * way.
 */
function refuseUnsafe(jwksUri: string, issuer: string): void {
  const isSafe = ['https:', new URL(issuer).protocol].includes(new URL(jwksUri).protocol)
  if (!isSafe) throw new Error(`${jwksUri} is not https`)
}
