/**
 * The end of a run as its event stores it, in JSON. The values come last, so that code that only forwards them can cut
 * them out: they may be large.
 */
import { parseJson } from '../exact-json.ts'
import type { RunEnd } from './event.ts'

const VALUES = ',"values":'
const ERROR = ',"error":'

export function encodeRunEnd({ graph_id, status, next, error = null, values }: RunEnd): string {
  return JSON.stringify({ graph_id, status, next, error, values })
}

/** The end in such an event, and the JSON of its values, if any. */
export function openRunEnd(data: string): { end: Omit<RunEnd, 'values'>; values?: string } {
  // A quote within a text has a backslash before it, so this is the first field of this name.
  const at = data.indexOf(VALUES)
  const head = data.slice(0, Math.max(at, 0))
  if (head.includes(ERROR)) {
    return withValues(parseJson(`${head}}`), data.slice(at + VALUES.length, -1))
  }
  // Earlier versions wrote the error after the values.
  const { values = null, ...end } = parseJson(data) as RunEnd
  return withValues(end, JSON.stringify(values))
}

function withValues(end: Omit<RunEnd, 'values'>, values: string): ReturnType<typeof openRunEnd> {
  return values === 'null' ? { end } : { end, values }
}
