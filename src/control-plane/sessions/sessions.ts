/** Operations on sessions. */

import { randomUUID } from 'node:crypto'
import { momentOf, timestamp } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import { AppError } from '../../core/errors.ts'
import { isAllowed, isOperator, type Principal } from '../../core/people/api-key.ts'
import { newSessionSecret, type Session, type SessionHolder } from '../../core/people/session.ts'
import { answerOf } from '../../http/answer.ts'
import { hashKey } from '../../http/keys.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { requirePermission } from '../people/access.ts'
import { record } from '../people/audit.ts'
import { type FoundSession, lastsUntil, requireKeyOf } from './find.ts'
import {
  type SessionAnswer,
  SessionSchema,
  type SignInLinkAnswer,
  type SignInRequest,
} from './session-schemas.ts'

type Parts = Pick<ControlPlaneParts, 'store' | 'clock' | 'identify'>

const MAX_USER_AGENT = 256
/** How long a link works, in ms. */
const LINK_MS = 1_800_000
/** How many links of one user work at a time: the latest. */
const MOST_LINKS = 50
/** After how long the secret in the cookie is replaced, in ms. */
const ROTATED_EVERY_MS = 3_600_000
/** How many browsers one user may be signed in with. */
const MOST_SESSIONS = 50

/** A session, and the secret for its browser; without one, the browser keeps its own. */
interface Opened {
  session: Session
  secret: string | undefined
}

/**
 * Signs in with the code of a link, or with a key. Throws `unauthenticated` for an invalid one, `forbidden`
 * for a key that only calls agents, and `conflict` for a link that would replace the session of another person:
 * a person who follows a stranger's link would work in that stranger's name without knowing.
 */
export async function signIn(
  parts: Parts,
  { code, api_key = '', replaces_session }: SignInRequest,
  { user_agent, present }: { user_agent: string | undefined; present: Session | undefined },
): Promise<Opened> {
  if (code === undefined) {
    return openSession(parts, await parts.identify(api_key), { user_agent, by: 'api_key' })
  }
  const holder = await holderOf(parts, code)
  const replaced = present?.user_id === holder.user_id ? undefined : present
  if (replaced && !replaces_session) throw await wouldReplace(parts, replaced, holder)
  const opened = await openSession(parts, await takeCode(parts, code), { user_agent, by: 'link' })
  if (replaced) await endSession(parts, replaced, replaced)
  return opened
}

/** Opens a session for the holder. Throws `forbidden` for a holder that only calls agents. */
export async function openSession(
  parts: Pick<Parts, 'store' | 'clock'>,
  holder: SessionHolder,
  { user_agent, by }: { user_agent: string | undefined; by: 'api_key' | 'link' | 'oidc' },
): Promise<Opened> {
  requireReader(holder)
  const now = timestamp(parts.clock)
  const secret = newSessionSecret()
  const session: Session = {
    ...holder,
    id: randomUUID(),
    secret_hash: hashKey(secret),
    former_hash: null,
    former_until: null,
    rotated_at: now,
    user_agent: user_agent?.slice(0, MAX_USER_AGENT) ?? null,
    created_at: now,
    used_at: now,
    ...lastsUntil({ kind: holder.kind, created_at: now }, parts.clock.now()),
  }
  await parts.store.transaction(async (store) => {
    await store.sessions.expire(now)
    await store.sessions.insert(session)
    await store.sessions.endOldest(holder.user_id, MOST_SESSIONS)
    await recordOn(parts, store, holder, { action: 'session.create', session, by })
  })
  return { session, secret }
}

function requireReader({ role, kind }: SessionHolder): void {
  if (isAllowed(role, 'read')) return
  const whose = kind === 'user' ? 'Somebody' : 'A key'
  const why = `${whose} with role ${role} only calls agents, and has no pages to see.`
  throw new AppError('forbidden', `${why} Sign in with another role.`)
}

/** Makes a link that signs in the owner of the credential, once, at this address. */
export async function createLink(
  parts: Parts,
  { credential, origin }: { credential: string; origin: string },
): Promise<SignInLinkAnswer> {
  const holder = await parts.identify(credential)
  const code = newSessionSecret()
  const expires_at = momentOf(parts.clock.now() + LINK_MS)
  await parts.store.transaction(async (store) => {
    await store.sessions.expire(timestamp(parts.clock))
    await store.sessions.addCode({ code_hash: hashKey(code), holder, expires_at }, MOST_LINKS)
    const { user_id: target_id, name: target_name } = holder
    const deed = { action: 'sign_in_link.create', target_id, target_name } as const
    await record(store, parts.clock, holder, { ...deed, detail: { expires_at } })
  })
  return { url: `${origin}/sign-in#code=${code}`, code, expires_at }
}

/** Replaces the secret in the cookie if it is old, and returns the session as it is now. */
export async function renewSession(
  { store, clock }: Pick<Parts, 'store' | 'clock'>,
  { session, sent_hash }: FoundSession,
): Promise<Opened> {
  const isOld = clock.now() - Date.parse(session.rotated_at) >= ROTATED_EVERY_MS
  // The answer with the new secret may be on its way; if it was lost, the browser needs another.
  const isLost = sent_hash !== session.secret_hash && isOlderThanAnswers(session, clock.now())
  if (!isOld && !isLost) return { session, secret: undefined }
  const secret = newSessionSecret()
  const [to, rotated_at] = [hashKey(secret), timestamp(clock)]
  const change = { from: session.secret_hash, to, former: sent_hash, rotated_at }
  const isRotated = await store.sessions.rotate(session.id, change)
  return { session, secret: isRotated ? secret : undefined }
}

/** The session as its own page shows it. */
export async function describeSession({ store }: Pick<Parts, 'store'>, session: Session) {
  const found = await Promise.all(session.workspaces.map((id) => store.workspaces.get(id)))
  const workspaces = found.flatMap((one) => (one ? [{ id: one.id, name: one.name }] : []))
  return { ...answer(session, session.id), workspaces, is_operator: isOperator(session) }
}

/** Signs out. */
export async function endSession(
  parts: Pick<Parts, 'store' | 'clock'>,
  principal: Principal,
  session: Session,
): Promise<void> {
  await parts.store.transaction(async (store) => {
    const isEnded = await store.sessions.delete(session.id)
    if (isEnded) await recordOn(parts, store, principal, { action: 'session.end', session })
  })
}

/** The caller's own sessions, the last used first; for admins all of them, on request. Throws `forbidden`. */
export async function listSessions(
  { store, clock }: Pick<Parts, 'store' | 'clock'>,
  principal: Principal,
  query: { limit: number; offset: number; isAll: boolean; current_id: string | undefined },
): Promise<{ resources: SessionAnswer[]; offset: number }> {
  const { limit, offset, isAll, current_id } = query
  if (isAll) requirePermission(principal, 'administer')
  const { workspace_id } = principal
  const user_id = isAll ? undefined : principal.user_id
  const of = { workspace_id, user_id, now: timestamp(clock) }
  const found = await store.sessions.list(of, { limit, offset })
  const resources = found.map((session) => answer(session, current_id))
  return { resources, offset: offset + found.length }
}

/** Ends one of the caller's own sessions; admins may end any of their workspace. Throws `not_found`. */
export async function endSessionById(
  parts: Pick<Parts, 'store' | 'clock'>,
  principal: Principal,
  id: string,
): Promise<void> {
  const session = await parts.store.sessions.get(id)
  if (!session || !mayEnd(principal, session)) {
    throw new AppError('not_found', `Session ID ${id} not found.`)
  }
  await endSession(parts, principal, session)
}

function mayEnd({ role, user_id, workspace_id }: Principal, session: Session): boolean {
  const isOwn = session.user_id === user_id
  return isOwn || (isAllowed(role, 'administer') && session.workspaces.includes(workspace_id))
}

/** The person or key that a link signs in; the link stays valid. */
async function holderOf(parts: Parts, code: string): Promise<SessionHolder> {
  const found = await parts.store.sessions.findCode(hashKey(code), timestamp(parts.clock))
  if (!found) throw isUsed()
  await requireKeyOf(parts, found.holder)
  return found.holder
}

async function takeCode({ store, clock }: Parts, code: string): Promise<SessionHolder> {
  const taken = await store.sessions.takeCode(hashKey(code), timestamp(clock))
  if (taken) return taken.holder
  throw isUsed()
}

async function wouldReplace(parts: Parts, present: Session, holder: SessionHolder) {
  const [now, then] = await Promise.all([present, holder].map((one) => whoIs(parts, one)))
  return new AppError(
    'conflict',
    `This browser is signed in as ${now}. The link signs it in as ${then}, and the present session ends.`,
  )
}

/** `laptop (role admin, workspace Default)` */
async function whoIs({ store }: Pick<Parts, 'store'>, { name, role, workspace_id }: SessionHolder) {
  const workspace = await store.workspaces.get(workspace_id)
  return `${name} (role ${role}, workspace ${workspace?.name ?? workspace_id})`
}

function isUsed(): AppError {
  return new AppError(
    'unauthenticated',
    'This link was used already, or is too old. Make another with "runyard open", or sign in with an API key.',
  )
}

function isOlderThanAnswers({ rotated_at }: Session, now: number): boolean {
  return now - Date.parse(rotated_at) >= 60_000
}

async function recordOn(
  { clock }: Pick<Parts, 'clock'>,
  store: ControlPlaneStore,
  principal: Principal | SessionHolder,
  deed: { action: 'session.create' | 'session.end'; session: Session; by?: string },
): Promise<void> {
  const { action, session, by } = deed
  const { id: target_id, name: target_name, user_id, user_agent, workspace_id } = session
  const detail = { user_id, user_agent, ...(by && { by }) }
  await record(store, clock, principal, { action, target_id, target_name, workspace_id, detail })
}

function answer(session: Session, current_id: string | undefined): SessionAnswer {
  const { used_at: last_used_at, id } = session
  return answerOf(SessionSchema, session, { last_used_at, is_current: id === current_id })
}
