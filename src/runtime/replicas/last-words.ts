/** The last output of an agent server, for the project's author. */
import { fileURLToPath } from 'node:url'
import { readLine } from '../../core/deployment/log-source.ts'

/** The folder of Runyard's own modules, and that of the bundled agent server. */
const OWN = fileURLToPath(new URL('../../', import.meta.url))
const BUNDLE = '/dist/server/'

const FRAME = /^\s+at /
/** Stack frames that are not the project's: those of Node, of packages, of Runyard. */
const FOREIGN = ['node:', '/node_modules/', '/bin/runyard', OWN, BUNDLE]

/**
 * Keeps the lines that help the author: of Runyard's log only warnings and errors, as sentences; of stack traces only
 * the frames of the project; and nothing that `told` contains already.
 */
export function lastWords(lines: string[], told: string): string[] {
  return lines.flatMap((noted) => {
    const { text: line, source } = readLine(noted)
    if (source === 'server' && line.startsWith('{')) return sentenceOf(line, told)
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
