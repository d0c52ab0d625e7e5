/**
 * The addresses under which browsers reach this server, whether a request comes from its own page there, and the cookies
 * for it. Cookies count only then: browsers send them with requests of any page.
 */
import { isIP } from 'node:net'
import { parse, serialize } from 'hono/utils/cookie'
import { isThisMachine } from '../core/network/ip-range.ts'
import type { HeaderReader } from '../core/people/sent-key.ts'

export interface Site {
  /** With the port, if it is not the scheme's own. */
  host: string
  /** `https://agents.example.com` */
  origin: string
  isSecure: boolean
}

interface SiteOptions {
  /** The URL from the settings, or where it listens. Called at each request. */
  publicUrl: () => string
  /** Whether it listens with TLS. */
  isTls: boolean
}

/**
 * The site that a request was sent to. `undefined`: a name that is not ours. A page can point its own name to our
 * address (DNS rebinding), but no page can do that with an address itself.
 */
export type SiteOf = (headers: HeaderReader) => Site | undefined

export function createSiteOf({ publicUrl, isTls }: SiteOptions): SiteOf {
  return (headers) => {
    const named = URL.parse(publicUrl())
    const host = headers.get('host') ?? ''
    const forwarded = headers.get('x-forwarded-host')?.split(',')[0]?.trim()
    const isNamed = named !== null && [host, forwarded].includes(named.host)
    if (isNamed) return siteAt(named)
    const url = URL.parse(`${isTls ? 'https' : 'http'}://${host}`)
    return url && isAddress(url.hostname) ? siteAt(url) : undefined
  }
}

/** Whether requests to it cannot be read on the way. */
export function isConfidential({ origin, isSecure }: Site): boolean {
  return isSecure || isLoopback(new URL(origin).hostname)
}

/**
 * Whether a page of this site sent the request. Browsers report it themselves, but not to remote sites without TLS, and
 * not for WebSockets; then the page's origin or address decides.
 */
export function isFromOwnPage(headers: HeaderReader, site: Site): boolean {
  const said = headers.get('sec-fetch-site')
  if (said !== null) return said === 'same-origin'
  const page = headers.get('origin') ?? headers.get('referer')
  return page !== null && URL.parse(page)?.origin === site.origin
}

/** Whether a page of another site sent it. Programs name no page. */
export function isFromOtherPage(headers: HeaderReader, site: Site): boolean {
  const isPage = ['sec-fetch-site', 'origin', 'referer'].some((name) => headers.has(name))
  return isPage && !isFromOwnPage(headers, site)
}

function siteAt({ host, origin, protocol }: URL): Site {
  return { host, origin, isSecure: protocol === 'https:' }
}

function isAddress(hostname: string): boolean {
  return isLoopback(hostname) || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
}

/** Browsers resolve `*.localhost` by themselves. */
function isLoopback(hostname: string): boolean {
  return isThisMachine(hostname) || hostname.endsWith('.localhost')
}

/** The URL of a server: from its settings, or else where it listens, once it does. */
export class Address {
  readonly #isGiven: boolean
  #url: string

  /** `publicUrl`: from the settings, without a slash at the end. */
  constructor(publicUrl: string | undefined) {
    this.#isGiven = publicUrl !== undefined
    this.#url = publicUrl ?? ''
  }

  /** Without a slash at the end; empty while unknown. */
  get url(): string {
    return this.#url
  }

  listensAt(url: string): void {
    if (!this.#isGiven) this.#url = url
  }
}

/**
 * The name of the cookie that holds the secret of a session. With TLS the prefix `__Host-` keeps pages of other hosts and of plain HTTP from setting it. Cookies ignore
 * ports, so the name contains it: several Runyards on one machine have one each.
 */
function cookieNameOf(site: Site): string {
  return nameAt(site, 'runyard_session')
}

/** The name of the cookie of a Studio. */
export function studioCookieName(site: Site): string {
  return nameAt(site, 'runyard_studio')
}

/** The name of the cookie that holds an attempt to sign in at the issuer. */
export function oidcCookieName(site: Site): string {
  return nameAt(site, 'runyard_oidc')
}

function nameAt({ origin, isSecure }: Site, name: string): string {
  const { port } = new URL(origin)
  return `${isSecure ? '__Host-' : ''}${name}${port && `_${port}`}`
}

/** The secret in a request. */
export function secretIn(headers: HeaderReader, site: Site): string | undefined {
  return cookieIn(headers, cookieNameOf(site))
}

/** Whether a request has a session's cookie, under any of its names. */
export function hasSessionCookie(headers: HeaderReader): boolean {
  return /(^|;\s*)(__Host-)?runyard_session(_\d+)?=/.test(headers.get('cookie') ?? '')
}

/** The value of a cookie. */
export function cookieIn(headers: HeaderReader, name: string): string | undefined {
  return parse(headers.get('cookie') ?? '', name)[name]
}

/** As `Set-Cookie`: hidden from scripts, sent to this site alone and for its own pages alone. */
export function sessionCookie(site: Site, secret: string, ends_at: string): string {
  return ownCookie(site, cookieNameOf(site), secret, { expires: new Date(ends_at) })
}

/** The same without a secret: the browser forgets it. */
export function endedCookie(site: Site): string {
  return ownCookie(site, cookieNameOf(site), '', { expires: new Date(0) })
}

/** A cookie for this site alone. `Lax`: it is also sent when another site links here. */
export function ownCookie(
  { isSecure }: Pick<Site, 'isSecure'>,
  name: string,
  value: string,
  { expires, sameSite = 'Strict', path = '/' }: CookieTerms,
): string {
  return serialize(name, value, { path, expires, sameSite, httpOnly: true, secure: isSecure })
}

interface CookieTerms {
  expires: Date
  sameSite?: 'Strict' | 'Lax'
  path?: string
}
