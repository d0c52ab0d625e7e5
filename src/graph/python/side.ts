/** Reads a Python host's reports on descriptor 4: heartbeats, steps of its start, blockages, log lines. */
import { OF_PROJECT } from '../../core/deployment/log-source.ts'
import { jsonIn } from '../../core/json.ts'
import type { Log } from '../../core/log.ts'

interface SideParts {
  /** The host's interpreter runs. */
  onBeat: () => void
  /** Its event loop has been blocked for seconds. */
  onBlocked: () => void
  /** The next step of its start, as the rest of a sentence. */
  onStep: (doing: string) => void
  log: Log
}

type Entry = Record<string, unknown>

/** Reads one line. A line that is not the host's is logged as it is. */
export function readSideLine(line: string, parts: SideParts): void {
  const entry = jsonIn(line) as Entry | undefined
  switch (entry?.kind) {
    case 'beat':
      parts.onBeat()
      break
    case 'blocked':
      tellBlocked(entry, parts)
      break
    case 'starting':
      parts.onStep(String(entry.doing))
      break
    case 'log':
      tellLog(entry, parts.log)
      break
    default:
      parts.log.warn({ line }, 'the Python host sent an unknown message')
  }
}

/** In the same words as for a blocked loop of this process. */
function tellBlocked({ kind: _, ms, ...place }: Entry, { onBlocked, log }: SideParts): void {
  const what = 'the event loop of the Python host is blocked: no other run goes on there'
  log.error({ ...place, blocked_ms: Math.round(Number(ms)) }, what)
  onBlocked()
}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const
/** The line's own members, except for those of `tellLog`. */
const OWN = ['level', 'time', 'pid', 'mark', 'host_pid', 'msg', ...Object.keys(OF_PROJECT)]

/** With the project's fields; a field with the name of a line's own member gets an underscore behind it. */
function tellLog(entry: Entry, log: Log): void {
  const { kind: _, level, message, fields, error, node, ...rest } = entry
  const known = LEVELS.find((one) => one === level) ?? 'info'
  const about = {
    ...rest,
    ...(node ? { langgraph_node: node } : {}),
    ...(error ? { err: error } : {}),
    ...OF_PROJECT,
  }
  const own = new Set([...OWN, ...Object.keys(about)])
  const given = Object.entries(typeof fields === 'object' && fields !== null ? fields : {})
  const more = given.map(([name, value]) => [own.has(name) ? `${name}_` : name, value])
  log[known]({ ...Object.fromEntries(more), ...about }, String(message))
}
