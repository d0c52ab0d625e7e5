/**
 * Who has said a line of a deploy log: the agent server itself, or the project's code, which prints to the same streams and
 * may print what looks like a line of the server.
 *
 * An agent server signs the lines of its own log with a mark that it has from its driver. The driver takes the mark off and
 * writes `[runyard] ` in front of the line instead, which no line of a project can begin with in the file.
 */
import { createHmac } from 'node:crypto'

export const LINE_SOURCES = ['server', 'project'] as const
export type LineSource = (typeof LINE_SOURCES)[number]

const OWN = '[runyard] '
/** How the log begins each of its lines; see `telemetry/log.ts`. */
const SIGNED = /^(\{"level":"\w+","time":"[^"]+","pid":\d+),"mark":"([\w-]+)"(.*)$/s
/** What the agent server logs in the name of the project: what Python prints and logs. */
export const OF_PROJECT = { said_by: 'project' } as const

/** What the lines of an agent server are signed with; the project is not told of it. */
export function logMark(gatewayToken: string): string {
  return createHmac('sha256', gatewayToken).update('log').digest('base64url').slice(0, 22)
}

/** A line as it came out of an agent server, as the deploy log keeps it. */
export function notedLine(printed: string, mark: string): string {
  const [, begin = '', found, rest = ''] = SIGNED.exec(printed) ?? []
  if (found === mark && !isOfProject(begin + rest)) return ownLine(begin + rest)
  const line = found === mark ? begin + rest : printed
  return line.startsWith(OWN) ? ` ${line}` : line
}

/** A line of the deploy log that the agent server or its driver has said. */
export function ownLine(text: string): string {
  return OWN + text
}

/** A line of the deploy log, and who has said it. */
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
