/** The Studio of one agent server: the app at `/studio`, and sign-in if the server has keys. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { Hono } from 'hono'
import { z } from 'zod'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { DEFAULT_WORKSPACE_ID } from '../../core/people/api-key.ts'
import { onError } from '../errors.ts'
import { hashKey } from '../keys.ts'
import { RateLimit, remoteAddress } from '../rate-limit.ts'
import { limitBody } from '../request-body.ts'
import {
  cookieIn,
  isFromOtherPage,
  isFromOwnPage,
  ownCookie,
  type Site,
  type SiteOf,
  studioCookieName,
} from '../site.ts'
import type { AnswerPage } from './app.ts'

interface StudioParts {
  /** The server's keys; empty: none is needed. */
  keys: readonly string[]
  siteOf: SiteOf
  pages: AnswerPage
  clock: Clock
  log: Log
}

const REFUSALS_PER_SECOND = 10
const MAX_BODY_BYTES = 64 * 1024
const Credential = z.object({ api_key: z.string().min(1) })

/** The user of the Studio: keys of an agent server have no roles. */
const DEVELOPER = {
  id: '00000000-0000-4000-8000-000000000000',
  user_id: 'studio',
  name: 'developer',
  kind: 'api_key',
  role: 'admin',
  workspace_id: DEFAULT_WORKSPACE_ID,
  is_operator: true,
  workspaces: [],
} as const

/** Answers below `/studio`; unknown paths get the Hono app's 404. */
export function createStudio(parts: StudioParts): Hono {
  const { keys, pages, log } = parts
  const rate = new RateLimit(
    REFUSALS_PER_SECOND,
    'Too many wrong keys from your address. Wait a second.',
  )
  const studio = new Hono()
  studio.onError(onError(log))
  studio.use('/studio/session', async (c, next) => {
    c.header('cache-control', 'no-store')
    await next()
  })
  studio.use('/studio/session', limitBody(MAX_BODY_BYTES, 'the limit of signing in'))
  studio.get('/studio/session', (c) => {
    if (keys.length > 0 && keyOfStudio(parts, c.req.raw.headers) === undefined) throw signedOut()
    return c.json(DEVELOPER)
  })
  studio.post('/studio/session', async (c) => {
    const { headers } = c.req.raw
    const site = requireOwn(parts, headers)
    const sent = Credential.safeParse(await c.req.json().catch(() => undefined))
    if (!sent.success) throw unreadable()
    const { api_key } = sent.data
    if (keys.length > 0) {
      const sender = { address: remoteAddress(c) }
      const cookie = await rate.countingRefusals(sender, async () =>
        openStudio(parts, site, api_key),
      )
      c.header('set-cookie', cookie)
    }
    return c.json(DEVELOPER, 201)
  })
  studio.delete('/studio/session', (c) => {
    c.header('set-cookie', closedStudio(requireOwn(parts, c.req.raw.headers)))
    return c.body(null, 204)
  })
  studio.notFound(async (c) => (await pages(c.req.raw)) ?? c.json({ detail: 'No such file.' }, 404))
  return studio
}

/** Throws `forbidden` for a foreign host name, and for a foreign page. */
function requireOwn({ siteOf }: StudioParts, headers: Headers): Site {
  const site = siteOf(headers)
  if (site && !isFromOtherPage(headers, site)) return site
  const where = site ? `${site.origin}/studio` : 'the address in RUNYARD_PUBLIC_URL'
  throw new AppError('forbidden', `Sign in to the Studio at ${where} itself.`)
}

function signedOut(): AppError {
  const how = 'Sign in with one of the keys in RUNYARD_API_KEYS.'
  return new AppError('unauthenticated', `This browser is not signed in. ${how}`)
}

function unreadable(): AppError {
  return new AppError('bad_request', 'Send {"api_key": "…"} as JSON.')
}

// Sign-in to the Studio of one agent server: the cookie names one of the server's keys and is signed with it, so
// that any process of the server can check it, and it ends with the key.

/** The lifetime of the cookie, in ms: a week. */
const LIFETIME_MS = 7 * 24 * 3_600_000
const ID_LENGTH = 16

interface CookieParts {
  keys: readonly string[]
  siteOf: SiteOf
  clock: Clock
}

/** Returns the cookie for this key. Throws `unauthenticated` for an unknown key. */
function openStudio({ keys, clock }: CookieParts, site: Site, key: string): string {
  const known = keys.find((one) => isSame(hashKey(one), hashKey(key)))
  if (known === undefined) {
    throw new AppError(
      'unauthenticated',
      'The API key is unknown. RUNYARD_API_KEYS has those that are taken.',
    )
  }
  const ends = clock.now() + LIFETIME_MS
  const value = `${ends}.${idOf(known)}.${signature(known, ends)}`
  return ownCookie(site, studioCookieName(site), value, { expires: new Date(ends) })
}

/** The same without a key: the browser deletes the cookie. */
function closedStudio(site: Site): string {
  return ownCookie(site, studioCookieName(site), '', { expires: new Date(0) })
}

/** The key of the signed-in browser, if the request comes from one of the server's own pages. */
export function keyOfStudio({ keys, siteOf, clock }: CookieParts, headers: Headers) {
  const site = siteOf(headers)
  const value = site && cookieIn(headers, studioCookieName(site))
  if (!value || !isFromOwnPage(headers, site)) return undefined
  const [ends = '', id = '', sent = ''] = value.split('.')
  const key = keys.find((one) => idOf(one) === id)
  if (key === undefined || !(Number(ends) > clock.now())) return undefined
  return isSame(signature(key, Number(ends)), sent) ? key : undefined
}

function idOf(key: string): string {
  return hashKey(`studio ${key}`).slice(0, ID_LENGTH)
}

function signature(key: string, ends: number): string {
  return createHmac('sha256', key).update(`studio ${ends}`).digest('base64url')
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
