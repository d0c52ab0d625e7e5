/**
 * Below `/agents/` deployments answer on the origin of the dashboard. Their responses must not act there for the
 * signed-in user, nor see their session.
 */
import type { IncomingMessage } from 'node:http'
import { parseCookie } from 'undici'
import { AppError } from '../core/errors.ts'

/** Our own cookies: sessions of the dashboard, and of a Studio on this machine. */
const OWN_COOKIE = /^(__Host-)?runyard_(session|oidc|studio)(_\d+)?$/
/** Without the Studio's: the server behind this gateway needs that cookie. */
const SESSION_COOKIE = /^(__Host-)?runyard_(session|oidc)(_\d+)?$/

/**
 * A sandboxed document has no origin: it runs its scripts, but its requests are a stranger's, without cookies, and it
 * cannot reach into our pages.
 */
const SANDBOX =
  'sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads'

/** Browsers never run code from a document of these types. Of several types in one value they take the last. */
const DATA = /^(application\/json|text\/event-stream)[ \t]*(;[^,]*)?$/i

/** Headers that affect the whole origin, not only the response. */
const OF_ORIGIN = new Set([
  'accept-ch',
  'activate-storage-access',
  'alt-svc',
  'clear-site-data',
  'critical-ch',
  'expect-ct',
  'idp-signin-status',
  'nel',
  'observe-browsing-topics',
  'origin-agent-cluster',
  'public-key-pins',
  'report-to',
  'service-worker-allowed',
  'set-cookie2',
  'set-login',
  'speculation-rules',
  'strict-transport-security',
  'use-as-dictionary',
  'x-permitted-cross-domain-policies',
])
/** Device-bound sessions, under their present and earlier names. */
const OF_SESSIONS = /^(secure|sec)-session-/

/** The destinations of code that a page runs in itself. */
const CODE = ['script', 'worker', 'sharedworker', 'serviceworker', 'audioworklet', 'paintworklet']

/**
 * Throws `forbidden` when a page of the dashboard would run an agent's code in itself. A sandboxed document is no page
 * of the dashboard.
 */
export function refuseCode({ headers }: IncomingMessage): void {
  const isOwnPage = headers['sec-fetch-site'] === 'same-origin'
  const isCode = CODE.includes(String(headers['sec-fetch-dest']))
  if (!isOwnPage || !isCode || ownCookiesIn(headers.cookie).length === 0) return
  const how = 'Load it in a frame with sandbox="allow-scripts".'
  throw new AppError('forbidden', `An agent's code does not run in a page of Runyard. ${how}`)
}

/** The `cookie` header for the agent server; empty: none. */
export function withoutOwnCookies(cookie: string, { isShared }: { isShared: boolean }): string {
  const hidden = isShared ? OWN_COOKIE : SESSION_COOKIE
  return cookie
    .split(';')
    .map((one) => one.trim())
    .filter((one) => !hidden.test(nameIn(one)))
    .join('; ')
}

/** Whether there are cookies besides our own, which may be credentials that a project knows. */
export function hasOtherCookies(cookie: string | undefined): boolean {
  return cookie !== undefined && withoutOwnCookies(cookie, { isShared: true }) !== ''
}

/** Whether the cookie is one of Runyard's, which no agent may set. */
function isOwnCookie(name: string): boolean {
  return OWN_COOKIE.test(name)
}

/** Whether this header of an agent's response would affect more than the agent. */
export function isOfOrigin(lowerCaseName: string): boolean {
  return OF_ORIGIN.has(lowerCaseName) || OF_SESSIONS.test(lowerCaseName)
}

/** Sandboxes every response that may become a document. */
export function sandboxed(headers: string[]): string[] {
  let isData: boolean | undefined
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] ?? ''
    if (name.length !== 12 || name.toLowerCase() !== 'content-type') continue
    isData = isData !== false && DATA.test(headers[i + 1] ?? '')
  }
  if (!isData) headers.push('content-security-policy', SANDBOX)
  return headers
}

function ownCookiesIn(cookie = ''): string[] {
  return cookie.split(';').filter((one) => SESSION_COOKIE.test(nameIn(one)))
}

function nameIn(cookie: string): string {
  return (cookie.split('=')[0] ?? '').trim()
}

// The cookies that an agent sets. Below `/agents/` agents share a host with each other and with the dashboard:
// cookies must not reach other agents, nor grow beyond what a request may carry and so lock the user out.

/** Limits of an agent's cookies in one browser, together with others that the browser sends. */
const MAX_COOKIES = 20
const MAX_COOKIE_BYTES = 8 * 1024

interface Scope {
  /** `/agents/<name>`. */
  prefix: string
  /** The `cookie` header that the browser sent. */
  sent: string | undefined
}

/**
 * The `set-cookie` values for the browser: for the agent's own path, without a domain. Leaves out Runyard's own names,
 * cookies without a name, cookies for the whole host (`__Host-`), and those that exceed the limits together with what
 * the browser sent.
 */
export function cookiesBelowPrefix(values: string[], { prefix, sent }: Scope): string[] {
  const held = heldBy(sent)
  return values.filter((value) => isAllowed(value, held)).map((value) => withPath(value, prefix))
}

/**
 * The same at the root of a deployment's own host: cookies pass unchanged, but without a domain that contains other
 * hosts of Runyard (`isShared`).
 */
export function cookiesAtRoot(values: string[], isShared: (domain: string) => boolean): string[] {
  return values.map((value) => {
    const domain = parseCookie(value)?.domain
    return domain && isShared(domain) ? without(value, ['domain']) : value
  })
}

/** The length of each cookie, by its name. */
function heldBy(sent: string | undefined): Map<string, number> {
  const pairs = withoutOwnCookies(sent ?? '', { isShared: true })
    .split('; ')
    .filter(Boolean)
  return new Map(pairs.map((pair) => [pair.split('=')[0] ?? '', pair.length]))
}

/** Decides whether the cookie may be set, and counts it in `held` if so. */
function isAllowed(value: string, held: Map<string, number>): boolean {
  const cookie = parseCookie(value)
  if (!cookie || cookie.name === '' || isOwnCookie(cookie.name)) return false
  if (/^__host-/i.test(cookie.name)) return false
  if (isRemoval(cookie)) return true
  const before = held.get(cookie.name)
  held.set(cookie.name, (value.split(';')[0] ?? '').trim().length)
  const bytes = [...held.values()].reduce((sum, one) => sum + one, 0)
  if (held.size <= MAX_COOKIES && bytes <= MAX_COOKIE_BYTES) return true
  if (before === undefined) held.delete(cookie.name)
  else held.set(cookie.name, before)
  return false
}

function isRemoval({ maxAge, expires }: NonNullable<ReturnType<typeof parseCookie>>): boolean {
  if (maxAge !== undefined) return maxAge <= 0
  return expires !== undefined && Number(expires) <= Date.now()
}

function withPath(value: string, path: string): string {
  return `${without(value, ['domain', 'path'])}; Path=${path}`
}

/** Semicolons always separate attributes (RFC 6265, section 5.2). */
function without(value: string, attributes: string[]): string {
  const [pair = '', ...rest] = value.split(';').map((one) => one.trim())
  const isKept = (one: string) =>
    one !== '' && !attributes.includes((one.split('=')[0] ?? '').trim().toLowerCase())
  return [pair, ...rest.filter(isKept)].join('; ')
}
