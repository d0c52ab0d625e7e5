/** Names below which many have theirs, such as `co.uk`. */
import { AppError } from '../../core/errors.ts'

/** Throws `bad_request` for a host that the Public Suffix List names, private ones such as `github.io` too. */
export async function refusePublicSuffix(host: string): Promise<void> {
  // The list takes 10 MB, and most installations add no domains.
  const { getDomain } = await import('tldts')
  if (getDomain(host, { allowPrivateDomains: true }) !== null) return
  const why = 'is a public suffix: many owners have names below it. Add a name of your own.'
  throw new AppError('bad_request', `host: ${JSON.stringify(host)} ${why}`)
}
