/**
 * Headers that a person gives the Studio of one agent server, for a project with its own `auth`. They are
 * kept in this tab, until it is closed.
 */
const KEY = 'runyard.headers'

export function givenHeaders(): Record<string, string> {
  return readHeaders(givenText()) ?? {}
}

/** As they were written. */
export function givenText(): string {
  return sessionStorage.getItem(KEY) ?? ''
}

/** The empty text forgets them. What was made with others has to be made anew: the page is to be loaded again. */
export function giveHeaders(text: string): void {
  if (text.trim()) sessionStorage.setItem(KEY, text)
  else sessionStorage.removeItem(KEY)
}

/** `name: value`, one a line. Undefined: a browser would not send them. */
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
