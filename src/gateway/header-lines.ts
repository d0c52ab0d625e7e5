/** The lines of a head, of requests and of answers (RFC 9112, section 5). Texts are latin1. */

import { isToken } from './field-text.ts'

/** Neither a name nor a value has a CR or an LF, so a line ends in one way only. */
const LINES = /(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n)*$/y

/**
 * Names and values in turn, without the blanks around values. `from`: where the first line begins; each ends with CR and LF.
 * `undefined`: one of them is no header, since its name is none or it has forbidden characters.
 */
export function readHeaderLines(text: string, from: number): string[] | undefined {
  LINES.lastIndex = from
  if (!LINES.test(text)) return undefined
  const headers: string[] = []
  for (let at = from; at < text.length; ) {
    const colon = text.indexOf(':', at)
    const end = text.indexOf('\r\n', colon)
    headers.push(text.slice(at, colon), withoutBlanks(text, colon + 1, end))
    at = end + 2
  }
  return headers
}

/**
 * The lines of these headers, names and values in turn. `undefined`: whoever reads them would not find these headers, since a name is
 * none or there are forbidden characters.
 */
export function writeHeaderLines(headers: readonly string[]): string | undefined {
  let text = ''
  let names = ''
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] as string
    if (name === '') return undefined
    names += name
    text += `${name}: ${headers[i + 1]}\r\n`
  }
  // Each character is looked at for itself, so that many can be checked as one text, which costs less.
  LINES.lastIndex = 0
  const isRead = (names === '' || isToken(names)) && LINES.test(text)
  return isRead && countLines(text) === headers.length / 2 ? text : undefined
}

function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/** Whether the header is one of them; `lowerCaseName` as its name says. */
export function hasHeader(headers: readonly string[], lowerCaseName: string): boolean {
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] as string
    if (name.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName) return true
  }
  return false
}

/** Not `trim`, which takes away more than HTTP's blanks. */
function withoutBlanks(text: string, from: number, to: number): string {
  let first = from
  let end = to
  while (first < end && isBlank(text.charCodeAt(first))) first += 1
  while (end > first && isBlank(text.charCodeAt(end - 1))) end -= 1
  return text.slice(first, end)
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9
}
