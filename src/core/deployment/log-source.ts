/**
 * The source of a line in a deploy log: the agent server itself, or the project's code, which prints to the same
 * streams and may imitate a line of the server.
 *
 * An agent server signs its own log lines with a mark from its driver. The driver replaces the mark by `[runyard] ` in
 * front of the line; no line of a project can begin like this in the file.
 */
import { createHmac } from 'node:crypto'

export const LINE_SOURCES = ['server', 'project'] as const
export type LineSource = (typeof LINE_SOURCES)[number]

const OWN = '[runyard] '
/** How the log begins each of its lines; see `telemetry/log.ts`. */
const SIGNED = /^(\{"level":"\w+","time":"[^"]+","pid":\d+),"mark":"([\w-]+)"(.*)$/s
/** Marks the project's lines in the agent server's log: Python's prints and logs. */
export const OF_PROJECT = { said_by: 'project' } as const

/** The signature of an agent server's lines; the project must not learn it. */
export function logMark(gatewayToken: string): string {
  return createHmac('sha256', gatewayToken).update('log').digest('base64url').slice(0, 22)
}

/** A line of an agent server's output, as the deploy log stores it. */
export function notedLine(printed: string, mark: string): string {
  const [, begin = '', found, rest = ''] = SIGNED.exec(printed) ?? []
  if (found === mark && !isOfProject(begin + rest)) return ownLine(begin + rest)
  const line = found === mark ? begin + rest : printed
  return line.startsWith(OWN) ? ` ${line}` : line
}

/** A line of the deploy log from the agent server or its driver. */
export function ownLine(text: string): string {
  return OWN + text
}

/** The text of a deploy log's line, and its source. */
export function readLine(noted: string): { text: string; source: LineSource } {
  return noted.startsWith(OWN)
    ? { text: noted.slice(OWN.length), source: 'server' }
    : { text: noted, source: 'project' }
}

/** A line that was cut cannot be checked, so it counts as the project's. */
function isOfProject(line: string): boolean {
  try {
    return (JSON.parse(line) as { said_by?: unknown }).said_by === OF_PROJECT.said_by
  } catch {
    return true
  }
}
