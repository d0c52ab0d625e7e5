/** Finds the session of a request by its cookie, and says how long sessions last. */
import { type Clock, momentOf } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import { AppError } from '../../core/errors.ts'
import type { Principal } from '../../core/people/api-key.ts'
import type { HeaderReader } from '../../core/people/sent-key.ts'
import type { RecogniseSession, Session, SessionHolder } from '../../core/people/session.ts'
import { hashKey, noteUse, requireValid } from '../../http/keys.ts'
import {
  hasSessionCookie,
  isFromOwnPage,
  type Site,
  type SiteOf,
  secretIn,
} from '../../http/site.ts'

/** How old the recorded last use may be, in ms. */
const USE_NOTED_EVERY_MS = 60_000
/** How long a secret is accepted after its successor was used, in ms: requests may overtake each other. */
const FORMER_SECRET_MS = 60_000

interface FindParts {
  store: Pick<ControlPlaneStore, 'sessions' | 'apiKeys' | 'workspaces'>
  clock: Clock
  siteOf: SiteOf
}

export interface FoundSession {
  session: Session
  site: Site
  /** The hash of the secret in the request. */
  sent_hash: string
}

/**
 * Returns the session of a request; `undefined`: it has no cookie of ours. Throws `unauthenticated` for a
 * cookie that comes from another page or by a foreign host name, and for a session that has ended or
 * whose key is no longer valid.
 */
export async function findSession(parts: FindParts, headers: HeaderReader) {
  const site = parts.siteOf(headers)
  if (!site) return hasSessionCookie(headers) ? refuseHost(headers) : undefined
  const secret = secretIn(headers, site)
  if (!secret) return undefined
  if (!isFromOwnPage(headers, site)) throw notFromOwnPage()
  const sent_hash = hashKey(secret)
  const session = await parts.store.sessions.findByHash(sent_hash)
  if (!session) throw hasEnded()
  await requireLasting(parts, session, sent_hash)
  await requireKeyOf(parts, session)
  await noteUseOf(parts, session, sent_hash)
  return { session, site, sent_hash }
}

/** The browser's session; `undefined`: none, or not valid. */
export async function presentSession(parts: FindParts, headers: HeaderReader) {
  try {
    return (await findSession(parts, headers))?.session
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthenticated') return undefined
    throw error
  }
}

/** The check of cookies for `createAuthenticate`. */
export function createRecogniseSession(parts: FindParts): RecogniseSession {
  return async (headers) => {
    const found = await findSession(parts, headers)
    return found && principalOf(parts, found.session, headers.get('x-tenant-id'))
  }
}

async function principalOf(
  { store }: FindParts,
  { user_id, name, kind, role, workspaces, workspace_id }: Session,
  tenantId: string | null,
): Promise<Principal> {
  const named = tenantId?.trim().toLowerCase() || workspace_id
  const isTheirs = workspaces.includes(named) && (await store.workspaces.get(named))
  if (!isTheirs) {
    const where = `the workspace ${named}`
    throw new AppError('forbidden', `Your session gives no access to ${where}. Name another.`)
  }
  return { user_id, name, kind, workspace_id: named, role }
}

async function requireLasting(
  { store, clock }: FindParts,
  { id, secret_hash, former_until, expires_at }: Session,
  sent_hash: string,
): Promise<void> {
  const now = clock.now()
  const isFormer = sent_hash !== secret_hash
  const isLate = isFormer && former_until !== null && Date.parse(former_until) <= now
  if (!isLate && Date.parse(expires_at) > now) return
  // Two browsers have the same cookie: it is unknown which of them is the right one.
  await store.sessions.delete(id)
  throw hasEnded()
}

/** Throws `unauthenticated` when the key of a session or a link is no longer valid. A person has none. */
export async function requireKeyOf(
  { store, clock }: Pick<FindParts, 'store' | 'clock'>,
  { kind, user_id, key_hash }: SessionHolder,
): Promise<void> {
  if (kind === 'user') return
  const key = await store.apiKeys.get(user_id)
  if (key && key.key_hash !== key_hash) throw hasEnded()
  await noteUse({ apiKeys: store.apiKeys, clock }, requireValid(key, clock.now()))
}

/** A read-only database must not lock people out. */
async function noteUseOf(parts: FindParts, session: Session, sent_hash: string): Promise<void> {
  const { store, clock } = parts
  const now = clock.now()
  const isNew = sent_hash === session.secret_hash
  const isFirst = isNew && session.former_hash !== null && session.former_until === null
  if (!isFirst && now - Date.parse(session.used_at) < USE_NOTED_EVERY_MS) return
  const former_until = isFirst ? momentOf(now + FORMER_SECRET_MS) : null
  const used_at = momentOf(now)
  const { expires_at } = lastsUntil(session, now)
  const use = { used_at, expires_at, former_until }
  await store.sessions.use(session.id, use).catch(() => undefined)
}

function refuseHost(headers: HeaderReader): never {
  const host = headers.get('host')
  const how = 'If people should use it, set RUNYARD_PUBLIC_URL to it.'
  throw new AppError('unauthenticated', `Sessions do not count at the host "${host}". ${how}`)
}

function notFromOwnPage(): AppError {
  const how = 'Elsewhere, send an API key as "X-Api-Key: KEY".'
  return new AppError(
    'unauthenticated',
    `A session counts only with requests of Runyard's own pages. ${how}`,
  )
}

function hasEnded(): AppError {
  return new AppError('unauthenticated', 'Your session has ended. Sign in again.')
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * How long a session lasts unused, and in all, in ms. Each use checks the session's key, so that its session may last
 * long. A person's rights come from the issuer, and are only checked again at the next sign-in.
 */
const LIFETIMES: Readonly<Record<Session['kind'], { idleMs: number; mostMs: number }>> = {
  api_key: { idleMs: 7 * DAY_MS, mostMs: 30 * DAY_MS },
  user: { idleMs: 12 * HOUR_MS, mostMs: 12 * HOUR_MS },
}

/** The end of a session that is used now. */
export function lastsUntil(
  { kind, created_at }: Pick<Session, 'kind' | 'created_at'>,
  now: number,
): Pick<Session, 'expires_at' | 'ends_at'> {
  const { idleMs, mostMs } = LIFETIMES[kind]
  const ends = Date.parse(created_at) + mostMs
  return {
    expires_at: momentOf(Math.min(now + idleMs, ends)),
    ends_at: momentOf(ends),
  }
}
