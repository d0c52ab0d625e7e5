/**
 * The end of a run as its event holds it, in JSON. The values come last, so that whoever only passes them on can cut
 * them out: they may be large.
 */
import { parseJson } from '../exact-json.ts'
import type { RunEnd } from './event.ts'

const VALUES = ',"values":'
const ERROR = ',"error":'

export function encodeRunEnd({ graph_id, status, next, error = null, values }: RunEnd): string {
  return JSON.stringify({ graph_id, status, next, error, values })
}

/** What such an event says, and the JSON of its values, if any. */
export function openRunEnd(data: string): { end: Omit<RunEnd, 'values'>; values?: string } {
  // A quote within a text has a backslash before it, so that this is the name of a field, and the first one.
  const at = data.indexOf(VALUES)
  const head = data.slice(0, Math.max(at, 0))
  if (head.includes(ERROR)) {
    return withValues(parseJson(`${head}}`), data.slice(at + VALUES.length, -1))
  }
  // Events of an earlier version have the error behind the values.
  const { values = null, ...end } = parseJson(data) as RunEnd
  return withValues(end, JSON.stringify(values))
}

function withValues(end: Omit<RunEnd, 'values'>, values: string): ReturnType<typeof openRunEnd> {
  return values === 'null' ? { end } : { end, values }
}
