/**
 * Headers that a person enters in the Studio of one agent server, for a project with its own `auth`. Kept in this tab
 * until it is closed.
 */
const KEY = 'runyard.headers'

export function givenHeaders(): Record<string, string> {
  return readHeaders(givenText()) ?? {}
}

/** The text as the person wrote it. */
export function givenText(): string {
  return sessionStorage.getItem(KEY) ?? ''
}

/** An empty text removes them. The page must be reloaded: clients were created with the old headers. */
export function giveHeaders(text: string): void {
  if (text.trim()) sessionStorage.setItem(KEY, text)
  else sessionStorage.removeItem(KEY)
}

/** One `name: value` per line. Undefined: a browser would not send them. */
export function readHeaders(text: string): Record<string, string> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  try {
    const headers = new Headers(
      lines.map((line): [string, string] => {
        const [, name = '', value = ''] = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(line) ?? []
        return [name, value]
      }),
    )
    return Object.fromEntries(headers)
  } catch {
    return undefined
  }
}
