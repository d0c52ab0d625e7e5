/** A log line's text and the fields behind it, as the control plane joins them: `a run has ended {"run_id":"…"}`. */
import { isUuid } from '../../design/text/format.ts'

export interface LineParts {
  text: string
  fields: Readonly<Record<string, unknown>>
}

/** A line without fields, or with a tail that is not a JSON object, is all text. */
export function partsOf(message: string): LineParts {
  const isEnded = message.endsWith('}')
  for (let at = message.indexOf(' {"'); isEnded && at >= 0; at = message.indexOf(' {"', at + 1)) {
    try {
      return { text: message.slice(0, at), fields: JSON.parse(message.slice(at + 1)) }
    } catch {
      // This brace belongs to the text.
    }
  }
  return { text: message, fields: {} }
}

/** Ids that the row does not repeat: it links to the run, and the opened line shows all of them. */
const IDS = new Set(['thread_id', 'run_id', 'request_id', 'trace_id'])

/** The fields in one line, for the row: `status=error ms=12`. An error is its message. */
export function fieldsText(fields: LineParts['fields']): string {
  return Object.entries(fields)
    .filter(([name]) => !IDS.has(name))
    .map(([name, value]) => `${name}=${valueText(errorOf(value)?.message ?? value)}`)
    .join(' ')
}

export function valueText(value: unknown, indent?: number): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, indent)
}

/** The error of a field, with its stack if it has one. */
export function errorOf(value: unknown): { message: string; stack?: string } | undefined {
  const { message } = (value ?? {}) as { message?: unknown }
  return typeof message === 'string' ? (value as { message: string; stack?: string }) : undefined
}

/** The field's value if it is an id that a page can have. A project prints what it likes. */
export function idIn(fields: LineParts['fields'], name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' && isUuid(value) ? value : undefined
}
