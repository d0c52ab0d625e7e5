/** Why an agent server does not start or has ended, for the project's author. */
import { fileURLToPath } from 'node:url'
import { readLine } from '../../core/deployment/log-source.ts'
import { isObject, jsonIn } from '../../core/json.ts'

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
export function lastWords(lines: readonly string[], told: string): string[] {
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
  const { level, msg = '', reason, err } = (jsonIn(line) as LogLine | undefined) ?? { level: 'cut' }
  if (level !== 'warn' && level !== 'error') return []
  const cause = err?.message ?? reason
  if (cause !== undefined && told.includes(cause)) return []
  return [cause === undefined ? msg : `${msg.replace(/\.$/, '')}: ${cause}`]
}

/** `why`: a sentence, with details on the lines after it. `lines`: its last output. */
export function explain(why: string, lines: readonly string[]): string {
  return [why, ...lastWords(lines, why)].join('\n')
}

/** Without `RUNYARD_START_TIMEOUT_SECS`, in ms: large packages of projects take minutes to import. */
export const DEFAULT_HEALTH_TIMEOUT_MS = 300_000

/** `doing`: the step of its start that it reported; absent: none. */
export function lateStart(limitMs: number, doing: string | undefined): string {
  const late = `The agent server was not healthy within ${limitMs / 1000} s`
  return `${late}${doing === undefined ? '' : `: it ${doing}`}. RUNYARD_START_TIMEOUT_SECS sets the limit.`
}

/**
 * The step that a noted line of an agent server's log names: it may block its process before a driver has connected.
 */
export function stepIn(noted: string): string | undefined {
  const { text, source } = readLine(noted)
  const said = source === 'server' ? jsonIn(text) : undefined
  return isObject(said) && typeof said.doing === 'string' ? said.doing : undefined
}
