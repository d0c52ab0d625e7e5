/**
 * The addresses under which browsers reach this server, and whether a request comes from its own page there. Cookies
 * count only then: browsers send them with requests of any page.
 */
import { isIP } from 'node:net'
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
