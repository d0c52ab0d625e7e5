/** What may stand in `repo_url` and `repo_ref`, and where a URL's credentials go. */
import { BuildError } from '../core/deployment/build.ts'

export interface RepositoryUrl {
  /** Without credentials: may be shown, logged and put on a command line. */
  url: string
  /** For https only; handed to git through a credential helper. */
  credentials: { username: string; password: string } | undefined
}

/** `user@host:path`, which git takes for ssh. */
const SCP_FORM = /^[A-Za-z0-9_.][\w.-]*@[A-Za-z0-9][\w.-]*:(?!:|\/\/)[^\s-]\S*$/
const PROTOCOLS: readonly string[] = ['https:', 'ssh:', 'git:']

/**
 * Takes https, ssh (also as `user@host:path`) and git URLs, and `file://` where it is allowed.
 * Throws `BuildError('fetch')` for anything else.
 */
export function parseRepositoryUrl(text: string, isFileAllowed: boolean): RepositoryUrl {
  if (SCP_FORM.test(text)) return { url: text, credentials: undefined }
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url) throw new BuildError('fetch', 'repo_url is no git URL: use https://, ssh:// or git://.')
  if (url.protocol === 'file:' && !isFileAllowed) {
    throw new BuildError('fetch', 'repo_url: file:// is only taken from admin keys.')
  }
  if (url.protocol !== 'file:' && !PROTOCOLS.includes(url.protocol)) {
    throw new BuildError(
      'fetch',
      `repo_url begins with ${url.protocol}, which is not taken: use https://, ssh:// or git://.`,
    )
  }
  return splitCredentials(url)
}

function splitCredentials(url: URL): RepositoryUrl {
  const username = decode(url.username)
  const password = decode(url.password)
  url.password = ''
  if (url.protocol !== 'ssh:') url.username = ''
  const isNeeded = url.protocol === 'https:' && (username !== '' || password !== '')
  return { url: url.href, credentials: isNeeded ? { username, password } : undefined }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Whether git could know a thing by this name (git-check-ref-format, without its rarer rules). */
export function isRefName(ref: string): boolean {
  if (ref.length > 255 || /^[-/.]|[/.]$|\.lock$|\.\.|\/\/|\/\.|@\{/.test(ref)) return false
  return /^[^\s~^:?*[\\\p{Cc}]+$/u.test(ref)
}
