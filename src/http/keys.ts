/** The check of API keys on requests, of both APIs. */
import { createHash, hash, timingSafeEqual } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { type Clock, timestamp } from '../core/clock.ts'
import type { Authenticate } from '../core/deployment/target.ts'
import { AppError } from '../core/errors.ts'
import type { ApiKey, ApiKeyStore, Principal } from '../core/people/api-key.ts'
import { type HeaderReader, keyIn, noKey, requireKeyIn } from '../core/people/sent-key.ts'
import type { RecogniseSession, SessionHolder } from '../core/people/session.ts'
import type { VerifyUserToken } from '../core/people/user-token.ts'
import { type RateLimit, remoteAddress } from './rate-limit.ts'

/** How old the recorded last use of a key may be, in ms. */
const USE_NOTED_EVERY_MS = 60_000

/** The form in which keys are stored and looked up: SHA-256 in hex. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex')
}

interface AuthenticateParts {
  apiKeys: ApiKeyStore
  clock: Clock
  /** Verifies users' signed tokens. Absent: only API keys are accepted. */
  verifyUserToken?: VerifyUserToken | undefined
  /** Recognises callers with a cookie and no key. Absent: cookies are ignored. */
  recogniseSession?: RecogniseSession | undefined
}

type IdentifyParts = Omit<AuthenticateParts, 'recogniseSession'>

/** Finds the owner of a key or a token, to act for them later. Throws as `Authenticate`. */
export type Identify = (credential: string) => Promise<SessionHolder>

/**
 * The check of the control plane and the gateway. It looks a key up by its hash, so that the time this takes reveals
 * nothing about the key. `X-Tenant-Id` may name only the key's own workspace, or one of a signed token's; it is no
 * credential by itself.
 *
 * Throws `unauthenticated`, `forbidden`, and `unavailable` when the issuer of tokens does not answer.
 */
export function createAuthenticate(parts: AuthenticateParts): Authenticate {
  return async (headers) => {
    const sent = keyIn(headers)
    if (sent === undefined) return recognise(parts, headers)
    return principalOf(await identify(parts, sent, headers.get('x-tenant-id')))
  }
}

/** For a request without a key. */
async function recognise(parts: AuthenticateParts, headers: HeaderReader): Promise<Principal> {
  const person = await parts.recogniseSession?.(headers)
  if (person) return person
  throw noKey()
}

function principalOf({ user_id, name, kind, workspace_id, role }: SessionHolder): Principal {
  return { user_id, name, kind, workspace_id, role }
}

/** `Identify` on these parts. */
export function createIdentify(parts: IdentifyParts): Identify {
  return (credential) => identify(parts, credential, null)
}

async function identify(
  parts: IdentifyParts,
  sent: string,
  tenantId: string | null,
): Promise<SessionHolder> {
  const key = await parts.apiKeys.findByHash(hashKey(sent))
  if (!key && parts.verifyUserToken && isSignedToken(sent)) {
    const user = await parts.verifyUserToken(sent, tenantId)
    return { ...user, kind: 'user', key_hash: null }
  }
  const valid = requireValid(key, parts.clock.now())
  requireWorkspace(valid, tenantId)
  await noteUse(parts, valid)
  const { id: user_id, name, workspace_id, role, key_hash } = valid
  return {
    kind: 'api_key',
    user_id,
    name,
    workspace_id,
    role,
    workspaces: [workspace_id],
    key_hash,
  }
}

/**
 * The agent server's own check for `RUNYARD_API_KEYS`. Returns the hash of the key in the headers; throws
 * `unauthenticated` when it is none of these. Without any keys every request passes.
 */
export function serverKeys(keys: readonly string[]): (headers: Headers) => string | undefined {
  const hashes = keys.map(digest)
  return (headers) => {
    if (hashes.length === 0) return undefined
    const sent = digest(requireKeyIn(headers))
    // Compares with every key, so that the time does not reveal which one came close.
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
export async function noteUse(
  { apiKeys, clock }: Pick<AuthenticateParts, 'apiKeys' | 'clock'>,
  { id, last_used_at }: ApiKey,
): Promise<void> {
  const isNoted =
    last_used_at !== null && clock.now() - Date.parse(last_used_at) < USE_NOTED_EVERY_MS
  // A read-only database must not lock users out.
  if (!isNoted) await apiKeys.touch(id, timestamp(clock)).catch(() => undefined)
}

/** Whether the text looks like a signed token: three parts, of which the first is an object. */
function isSignedToken(text: string): boolean {
  return /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(text)
}

/** Throws `unauthenticated` for a key that is unknown, revoked or expired. */
export function requireValid(key: ApiKey | undefined, now: number): ApiKey {
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
