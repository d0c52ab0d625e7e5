/**
 * Sign-in to the Studio of one agent server: the cookie names one of the server's keys and is signed with it,
 * so that any process of the server can check it, and it ends with the key.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { hashKey } from '../keys.ts'
import { cookieIn, ownCookie, studioCookieName } from '../session-cookie.ts'
import { isFromOwnPage, type Site, type SiteOf } from '../site.ts'

/** The lifetime of the cookie, in ms: a week. */
const LIFETIME_MS = 7 * 24 * 3_600_000
const ID_LENGTH = 16

interface CookieParts {
  keys: readonly string[]
  siteOf: SiteOf
  clock: Clock
}

/** Returns the cookie for this key. Throws `unauthenticated` for an unknown key. */
export function openStudio({ keys, clock }: CookieParts, site: Site, key: string): string {
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
export function closedStudio(site: Site): string {
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
