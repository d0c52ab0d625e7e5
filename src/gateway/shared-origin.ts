/**
 * Below `/agents/` deployments answer on the origin of the dashboard. Their responses must not act there for the
 * signed-in user, nor see their session.
 */
import type { IncomingMessage } from 'node:http'
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
export function isOwnCookie(name: string): boolean {
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
