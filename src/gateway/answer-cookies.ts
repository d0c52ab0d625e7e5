/**
 * The cookies that an agent sets. Below `/agents/` agents share a host with each other and with the dashboard: cookies
 * must not reach other agents, nor grow beyond what a request may carry and so lock the user out.
 */
import { parseCookie } from 'undici'
import { isOwnCookie, withoutOwnCookies } from './shared-origin.ts'

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
