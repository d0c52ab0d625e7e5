/**
 * The cookies that an agent sets. Below `/agents/` agents share a host with each other and with the dashboard: a cookie
 * of one must not reach another, nor lock a person out with more than a request may bring.
 */
import { parseCookie } from 'undici'
import { isOwnCookie, withoutOwnCookies } from './shared-origin.ts'

/** What an agent's cookies may be in one browser, together with others that the browser sends along. */
const MAX_COOKIES = 20
const MAX_COOKIE_BYTES = 8 * 1024

interface Scope {
  /** `/agents/<name>`. */
  prefix: string
  /** The `cookie` header that the browser sent. */
  sent: string | undefined
}

/**
 * The `set-cookie` values that may go on to the browser: for the agent's own path, without a domain. Left out are
 * Runyard's own names, cookies without a name, cookies that ask for the whole host (`__Host-`), and those that are too
 * much beside what the browser sent.
 */
export function cookiesBelowPrefix(values: string[], { prefix, sent }: Scope): string[] {
  const held = heldBy(sent)
  return values.filter((value) => isAllowed(value, held)).map((value) => withPath(value, prefix))
}

/**
 * The same at the root of a host of the deployment's own: a cookie goes on as it is, but without a domain that other
 * hosts of Runyard lie below, which `isShared` knows.
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

/** Attributes are parted by semicolons, whatever is in them (RFC 6265, section 5.2). */
function without(value: string, attributes: string[]): string {
  const [pair = '', ...rest] = value.split(';').map((one) => one.trim())
  const isKept = (one: string) =>
    one !== '' && !attributes.includes((one.split('=')[0] ?? '').trim().toLowerCase())
  return [pair, ...rest.filter(isKept)].join('; ')
}
