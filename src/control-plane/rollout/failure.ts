/** Texts of failures for status messages. */
import { BuildError } from '../../core/deployment/builds/build.ts'
import type { Secret } from '../../core/deployment/revision.ts'
import { withReasonFirst } from '../../core/errors.ts'

/** The longest status message, in bytes of UTF-8. */
export const MAX_MESSAGE_BYTES = 4096
/** How much of the beginning is kept when the middle is cut. */
const HEAD_BYTES = 1024
const CUT = '\n…\n'
/** Masking shorter values would remove ordinary words from the message. */
const MIN_SECRET_LENGTH = 4

/** A failed build: its step, its cause, and on the next lines the end of its log. */
export function describeBuildFailure(error: unknown): string {
  if (error instanceof BuildError) {
    return [`${error.step}: ${error.message}`, ...error.logTail].join('\n')
  }
  return `build: ${error instanceof Error ? error.message : String(error)}`
}

/** The text without values of secrets, credentials in URLs and NUL, cut to `MAX_MESSAGE_BYTES`. */
export function statusMessage(text: string, secrets: Secret[]): string {
  return shorten(withReasonFirst(maskOf(secrets)(text.replaceAll('\0', ''))))
}

/** Removes the values of these secrets, plain and within JSON, and credentials in URLs from texts. */
export function maskOf(secrets: Secret[]): (text: string) => string {
  const values = secrets
    .flatMap(({ value }) => [value, ...value.split(/\r?\n/)])
    .filter((value) => value.length >= MIN_SECRET_LENGTH)
    .flatMap(writtenForms)
    .sort((a, b) => b.length - a.length)
  return (text) => {
    const masked = values.reduce((rest, value) => rest.replaceAll(value, '***'), text)
    return masked.replace(/([a-z]:\/\/)[^/@\s]+@/gi, '$1***@')
  }
}

/** Log lines are often JSON, sometimes with JSON in it; some programs escape all but ASCII there. */
function writtenForms(value: string): string[] {
  const inJson = insideJson(value)
  return [...new Set([value, inJson, insideJson(inJson), asciiOf(inJson)])]
}

function insideJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function asciiOf(text: string): string {
  return text.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Keeps the beginning, which names the step, and the end, which usually names the cause. */
function shorten(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= MAX_MESSAGE_BYTES) return text
  const tailBytes = MAX_MESSAGE_BYTES - HEAD_BYTES - Buffer.byteLength(CUT)
  const head = bytes
    .subarray(0, HEAD_BYTES)
    .toString()
    .replace(/\uFFFD+$/, '')
  const tail = bytes
    .subarray(-tailBytes)
    .toString()
    .replace(/^\uFFFD+/, '')
  return head + CUT + tail
}
