/**
 * The API keys on requests. Both APIs take them as `X-Api-Key: KEY` or `Authorization: Bearer KEY`. The
 * first form wins when both are sent, so that a client's own bearer token can stand beside our key.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { type Clock, timestamp } from '../core/clock.ts'
import type { Authenticate } from '../core/deployment/target.ts'
import { AppError } from '../core/errors.ts'
import type { ApiKey, ApiKeyStore, Principal } from '../core/people/api-key.ts'
import type { VerifyUserToken } from '../core/people/user-token.ts'
import { type RateLimit, remoteAddress } from './rate-limit.ts'

const HOW_TO_SEND = 'Send it as "X-Api-Key: KEY" or "Authorization: Bearer KEY".'

/** How old the recorded last use of a key may be, in ms. */
const USE_NOTED_EVERY_MS = 60_000

/** The form in which keys are stored and looked up: SHA-256 in hex. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

interface AuthenticateParts {
  apiKeys: ApiKeyStore
  clock: Clock
  /** Verifies people's signed tokens. Absent: only API keys are accepted. */
  verifyUserToken?: VerifyUserToken | undefined
}

/**
 * The check of the control plane and the gateway. It looks a key up by its hash, so that the time this
 * takes tells nothing about the key. `X-Tenant-Id` may name the key's own workspace, or one of a signed
 * token's, and no other; it is no credential by itself.
 *
 * Throws `unauthenticated`, `forbidden`, and `unavailable` when the issuer of tokens does not answer.
 */
export function createAuthenticate(parts: AuthenticateParts): Authenticate {
  return async (headers) => {
    const sent = requireKey(headers)
    const tenantId = headers.get('x-tenant-id')
    const key = await parts.apiKeys.findByHash(hashKey(sent))
    if (!key && parts.verifyUserToken && isSignedToken(sent)) {
      return parts.verifyUserToken(sent, tenantId)
    }
    const valid = requireValid(key, parts.clock.now())
    requireWorkspace(valid, tenantId)
    await noteUse(parts, valid)
    const { id: user_id, name, workspace_id, role } = valid
    return { user_id, name, kind: 'api_key', workspace_id, role }
  }
}

/**
 * The agent server's own check for `RUNYARD_API_KEYS`. Answers the hash of the key in the headers; throws
 * `unauthenticated` when it is none of these. Without any keys every request passes.
 */
export function serverKeys(keys: readonly string[]): (headers: Headers) => string | undefined {
  const hashes = keys.map(digest)
  return (headers) => {
    if (hashes.length === 0) return undefined
    const sent = digest(requireKey(headers))
    // Compares with every key, so that the time does not tell which of them came close.
    const matches = hashes.filter((hash) => timingSafeEqual(hash, sent))
    if (matches.length === 0) throw unknownKey()
    return sent.toString('hex')
  }
}

/**
 * Middleware that sets `c.get('principal')` or refuses the request. With a `rate` it counts requests by
 * principal, and refused ones by address.
 */
export function requirePrincipal(
  authenticate: Authenticate,
  rate?: RateLimit,
): MiddlewareHandler<{ Variables: { principal: Principal } }> {
  return async (c, next) => {
    const principal = await authenticate(c.req.raw.headers).catch(async (refusal: unknown) => {
      await rate?.take({ address: remoteAddress(c) })
      throw refusal
    })
    await rate?.take({ identity: principal.user_id })
    c.set('principal', principal)
    await next()
  }
}

/** Records the use of a key, once a minute at most, so that not every request writes to the database. */
async function noteUse({ apiKeys, clock }: AuthenticateParts, key: ApiKey): Promise<void> {
  const { last_used_at } = key
  if (last_used_at !== null && clock.now() - Date.parse(last_used_at) < USE_NOTED_EVERY_MS) return
  // A database that can only be read must not keep people out.
  await apiKeys.touch(key.id, timestamp(clock)).catch(() => undefined)
}

function requireKey(headers: Headers): string {
  const key = headers.get('x-api-key')?.trim() || bearer(headers.get('authorization'))
  if (!key) throw new AppError('unauthenticated', `An API key is needed. ${HOW_TO_SEND}`)
  return key
}

function bearer(authorization: string | null): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
}

/** Whether the text looks like a signed token: three parts, of which the first is an object. */
function isSignedToken(text: string): boolean {
  return /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(text)
}

function requireValid(key: ApiKey | undefined, now: number): ApiKey {
  if (!key) throw unknownKey()
  if (key.revoked_at !== null) throw refusedKey(key, 'was revoked')
  if (key.expires_at !== null && Date.parse(key.expires_at) <= now) {
    throw refusedKey(key, 'has expired')
  }
  return key
}

function requireWorkspace(key: ApiKey, tenantId: string | null): void {
  const named = tenantId?.trim().toLowerCase()
  if (!named || named === key.workspace_id) return
  throw new AppError(
    'forbidden',
    `The API key belongs to workspace ${key.workspace_id}, not to the one in X-Tenant-Id. ` +
      'Send that id, leave the header out, or use a key of the other workspace.',
  )
}

function unknownKey(): AppError {
  return new AppError('unauthenticated', 'The API key is unknown. Check it, or create another.')
}

function refusedKey(key: ApiKey, what: string): AppError {
  return new AppError('unauthenticated', `The API key "${key.name}" ${what}. Create another.`)
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
