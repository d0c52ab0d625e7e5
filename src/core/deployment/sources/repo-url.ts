/** Which git URLs and refs a deployment may name. All others are refused. */
import { AppError } from '../../errors.ts'

const SCHEMES = ['https:', 'ssh:', 'git:', 'file:']
/** `git@host:path`, without a scheme. */
const SCP_LIKE = /^[A-Za-z0-9_][A-Za-z0-9_.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:(?!\/\/)[^\s:-]\S*$/

/**
 * Accepts `https://`, `ssh://`, `git://` and `git@host:path`; `file://` with `isFileUrlAllowed` only. Throws
 * `forbidden` for a `file://` that is not allowed, `bad_request` for anything else: plain `http:`, git's helper syntax
 * (`ext::`), and texts that git would read as an option.
 */
export function checkRepoUrl(url: string, isFileUrlAllowed: boolean): void {
  const scheme = schemeOf(url)
  if (scheme === 'file:' && !isFileUrlAllowed) {
    throw new AppError('forbidden', 'A file:// repo_url needs an API key with role admin.')
  }
  if (scheme !== undefined || SCP_LIKE.test(url)) return
  throw new AppError(
    'bad_request',
    'source_config.repo_url must begin with https://, ssh:// or git://, ' +
      'or have the form git@host:path.',
  )
}

/** The URL without its name and password, if any. */
export function withoutCredentials(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/@]*@/i, '$1')
}

export function isFileUrl(url: string | null): boolean {
  return url !== null && schemeOf(url) === 'file:'
}

function schemeOf(url: string): string | undefined {
  if (!/^[a-z]+:\/\/[^\s]+$/i.test(url) || !URL.canParse(url)) return undefined
  const parsed = new URL(url)
  const isKnown = SCHEMES.includes(parsed.protocol)
  const hasPlace = parsed.protocol === 'file:' ? isLocal(parsed) : isHost(parsed.hostname)
  return isKnown && hasPlace ? parsed.protocol : undefined
}

function isLocal(url: URL): boolean {
  return url.hostname === '' && url.pathname.length > 1
}

/** git passes the host to ssh, so it must not look like an option. */
function isHost(hostname: string): boolean {
  return hostname !== '' && !hostname.startsWith('-')
}

/** Refused by git-check-ref-format (except for its rarer rules), or taken for an option by git. */
const MALFORMED = /^[-/.]|[/.]$|\.lock$|\.\.|\/\/|\/\.|@\{/
const CHARACTERS = /^[^\s~^:?*[\\\p{Cc}]+$/u

/** Throws `bad_request` for a text that cannot be a branch, a tag or a commit. */
export function checkRepoRef(ref: string): void {
  if (ref.length <= 255 && CHARACTERS.test(ref) && !MALFORMED.test(ref)) return
  throw new AppError(
    'bad_request',
    'source_revision_config.repo_ref must be a branch, a full tag ref (refs/tags/v1) or a commit.',
  )
}
