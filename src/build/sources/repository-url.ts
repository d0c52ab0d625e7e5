/** Where the credentials of a `repo_url` go. */

export interface RepositoryUrl {
  /** Without credentials: may be shown, logged and put on a command line. */
  url: string
  /** For https only; handed to git through a credential helper. */
  credentials: { username: string; password: string } | undefined
}

/** Of a URL that `checkRepoUrl` takes. */
export function splitCredentials(text: string): RepositoryUrl {
  // `user@host:path` holds no password.
  if (!URL.canParse(text)) return { url: text, credentials: undefined }
  const url = new URL(text)
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
