/** What an agent server has printed last, as a project's author reads it. */
import { fileURLToPath } from 'node:url'

/** The folder of Runyard's own modules, and where the agent server is in few files. */
const OWN = fileURLToPath(new URL('../../', import.meta.url))
const BUNDLE = '/dist/server/'

/** A line of Runyard's own log (`telemetry/log.ts`); a project that logs JSON has another order. */
export const LOG_LINE = /^\{"level":"\w+","time":"\d{4}-\d\d-[^"]+","pid":\d+[,}]/
const FRAME = /^\s+at /
/** Stack frames that are not the project's: those of Node, of packages, of Runyard. */
const FOREIGN = ['node:', '/node_modules/', '/bin/runyard', OWN, BUNDLE]

/**
 * The lines without what says nothing to the author: of Runyard's log only warnings and errors, as
 * sentences; of stack traces only the frames of the project; and nothing that `told` says already.
 */
export function lastWords(lines: string[], told: string): string[] {
  return lines.flatMap((line) => {
    if (LOG_LINE.test(line)) return sentenceOf(line, told)
    if (FRAME.test(line) && FOREIGN.some((part) => line.includes(part))) return []
    return told.includes(line.replace(/^runyard: /, '').trim()) ? [] : [line]
  })
}

interface LogLine {
  level: string
  msg?: string
  reason?: string
  err?: { message?: string }
}

/** A log line that was cut is no JSON any more: it is left out. */
function sentenceOf(line: string, told: string): string[] {
  const { level, msg = '', reason, err } = parse(line) ?? { level: 'cut' }
  if (level !== 'warn' && level !== 'error') return []
  const cause = err?.message ?? reason
  if (cause !== undefined && told.includes(cause)) return []
  return [cause === undefined ? msg : `${msg.replace(/\.$/, '')}: ${cause}`]
}

function parse(line: string): LogLine | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
