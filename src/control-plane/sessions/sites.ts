/** Where people may sign in. */
import { AppError } from '../../core/errors.ts'
import { isConfidential, isFromOtherPage, type Site } from '../../http/site.ts'

/** Throws `bad_request` at a host name that is not ours. */
export function requireSite(site: Site | undefined, headers: Headers): Site {
  if (site) return site
  const how = 'Set RUNYARD_PUBLIC_URL to the address that people use.'
  throw new AppError(
    'bad_request',
    `Sign-in does not work at the host "${headers.get('host')}". ${how}`,
  )
}

/** The same for links, which need a confidential connection: this machine, or TLS. */
export function requireConfidential(site: Site | undefined, headers: Headers): Site {
  const one = requireSite(site, headers)
  if (isConfidential(one)) return one
  const how = 'Ask on that machine, or put TLS in front of it (docs/tls.md).'
  throw new AppError(
    'bad_request',
    `Links that sign in are for https and for this machine alone, not for ${one.origin}. ${how}`,
  )
}

/**
 * Throws `forbidden` for a request from a page of another origin: it could sign people in under another
 * identity.
 */
export function requireOwnPage(headers: Headers, site: Site): void {
  if (!isFromOtherPage(headers, site)) return
  throw new AppError('forbidden', `Sign in on the page ${site.origin}/sign-in itself.`)
}
