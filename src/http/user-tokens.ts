/** Checks users' signed tokens (JWT) against a configured OpenID Connect issuer. */
import {
  createRemoteJWKSet,
  decodeJwt,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose'
import { z } from 'zod'
import type { Clock } from '../core/clock.ts'
import { AppError } from '../core/errors.ts'
import { DEFAULT_WORKSPACE_ID, ROLES, type Role } from '../core/people/api-key.ts'
import type { UserTokenSettings, VerifyUserToken } from '../core/people/user-token.ts'
import type { WorkspaceStore } from '../core/people/workspace.ts'

/** The algorithms whose signatures only the holder of a private key can make. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
].concat('EdDSA', 'Ed25519')

/** The claims that may hold the owner's name, the best one first. */
const NAME_CLAIMS = ['email', 'preferred_username', 'name', 'sub']
const MAX_NAME_LENGTH = 256

export function createVerifyUserToken(
  settings: UserTokenSettings,
  { workspaces, clock }: { workspaces: WorkspaceStore; clock: Clock },
): VerifyUserToken {
  const keys = issuerKeys(settings.issuer)
  const { issuer, audience, clockSkewMs } = settings
  const verify = (token: string) =>
    jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: clockSkewMs / 1000,
      currentDate: new Date(clock.now()),
      requiredClaims: ['sub', 'exp'],
    })
  return async (token, named) => {
    refuseOtherIssuer(token, issuer)
    const { payload } = await verify(token).catch((error: unknown) => {
      throw asRefusal(error)
    })
    const role = roleOf(payload, settings)
    const workspace_id = chooseWorkspace(payload, settings, named)
    if (!(await workspaces.get(workspace_id))) throw noWorkspace(settings, named)
    return {
      user_id: `user:${subjectOf(payload)}`,
      name: nameOf(payload),
      kind: 'user',
      workspace_id,
      role,
      workspaces: workspacesOf(payload, settings),
    }
  }
}

/** Refuses tokens of other issuers before any keys are fetched: our issuer is not asked about them. */
function refuseOtherIssuer(token: string, issuer: string): void {
  let iss: string | undefined
  try {
    iss = decodeJwt(token).iss
  } catch (cause) {
    throw new AppError('unauthenticated', 'The token is malformed.', { cause })
  }
  if (iss === issuer) return
  throw new AppError(
    'unauthenticated',
    `The token is not from the issuer ${issuer}. Get one from it.`,
  )
}

/**
 * The library only checks that the claim exists. Without this check all tokens with the subject `null` would be one
 * user.
 */
function subjectOf({ sub }: JWTPayload): string {
  if (typeof sub === 'string' && sub.trim() !== '') return sub
  throw new AppError('unauthenticated', "The token's claim sub must be a text that is not empty.")
}

/** The highest of the roles that the token's values give. */
function roleOf(payload: JWTPayload, { roleClaim, roles }: UserTokenSettings): Role {
  const values = ['*', ...textsOf(claimOf(payload, roleClaim))]
  const granted = values.flatMap((value) => (Object.hasOwn(roles, value) ? [roles[value]] : []))
  const role = ROLES.find((one) => granted.includes(one))
  if (role) return role
  throw new AppError(
    'forbidden',
    `The token's claim ${roleClaim} has no value with a role here (RUNYARD_OIDC_ROLES).`,
  )
}

function chooseWorkspace(
  payload: JWTPayload,
  settings: UserTokenSettings,
  named: string | null,
): string {
  const ids = workspacesOf(payload, settings)
  const wanted = named?.trim().toLowerCase()
  const chosen = wanted ? ids.find((id) => id === wanted) : ids[0]
  if (chosen) return chosen
  throw noWorkspace(settings, named)
}

function workspacesOf(payload: JWTPayload, { workspaceClaim }: UserTokenSettings): string[] {
  const own = workspaceClaim ? textsOf(claimOf(payload, workspaceClaim)) : [DEFAULT_WORKSPACE_ID]
  return own.map((id) => id.toLowerCase())
}

function noWorkspace({ workspaceClaim }: UserTokenSettings, named: string | null): AppError {
  const which = named ? `the workspace ${named} of X-Tenant-Id` : 'a workspace of this installation'
  const where = workspaceClaim ? `Its claim ${workspaceClaim} must hold the id.` : ''
  return new AppError('forbidden', `The token gives no access to ${which}. ${where}`.trim())
}

/** The claim of this name, which may contain dots (`https://…`). Otherwise the dots lead into an object. */
function claimOf(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name]
  return name.split('.').reduce<unknown>((value, part) => {
    const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, part)
    return isObject ? (value as Record<string, unknown>)[part] : undefined
  }, payload)
}

function textsOf(claim: unknown): string[] {
  const values = Array.isArray(claim) ? claim : [claim]
  return values.filter((value) => typeof value === 'string')
}

function nameOf(payload: JWTPayload): string {
  const names = NAME_CLAIMS.flatMap((claim) => textsOf(payload[claim]))
  return (names[0] ?? '').slice(0, MAX_NAME_LENGTH)
}

function asRefusal(error: unknown): AppError {
  if (error instanceof AppError) return error
  const cause = { cause: error }
  if (error instanceof errors.JWTExpired) {
    return new AppError('unauthenticated', 'The token has expired. Get another.', cause)
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    const what = `The token's claim ${error.claim} is not as it should be: ${error.message}.`
    return new AppError('unauthenticated', what, cause)
  }
  if (isAboutKeys(error)) {
    return new AppError('unavailable', "The issuer's keys cannot be had now; try again.", cause)
  }
  return new AppError('unauthenticated', 'The token is not signed by its issuer.', cause)
}

/** Whether fetching the keys failed; the token and its signature may be right. */
function isAboutKeys(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError)) return true
  return ['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC'].includes(error.code)
}

/** How long the issuer may take to answer, in ms. */
const TIMEOUT_MS = 5_000

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url() })

/**
 * Fetches the keys at the first use and keeps them. Fetches them again for an unknown key, and after a failure. Throws
 * `unavailable` when the issuer responds incorrectly.
 */
function issuerKeys(issuer: string): JWTVerifyGetKey {
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
