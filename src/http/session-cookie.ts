/** The cookie that holds the secret of a session. */
import { parse } from 'hono/utils/cookie'
import type { HeaderReader } from '../core/people/sent-key.ts'
import type { Site } from './site.ts'

/**
 * Its name. With TLS the prefix `__Host-` keeps pages of other hosts and of plain HTTP from setting it. Cookies ignore
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
  const terms = [`Path=${path}`, `Expires=${expires.toUTCString()}`, 'HttpOnly']
  if (isSecure) terms.push('Secure')
  return [`${name}=${value}`, ...terms, `SameSite=${sameSite}`].join('; ')
}

interface CookieTerms {
  expires: Date
  sameSite?: 'Strict' | 'Lax'
  path?: string
}
