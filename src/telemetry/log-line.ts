/** The level and the message of a printed line, from any program. */
import { OF_PROJECT } from '../core/deployment/log-source.ts'
import type { LogEntryLevel } from '../core/deployment/revision-log.ts'
import { jsonIn } from '../core/json.ts'

/** The levels of pino and similar loggers: words, or numbers from 10 (trace) to 60 (fatal). */
const WORDS: Readonly<Record<string, LogEntryLevel>> = {
  trace: 'DEBUG',
  debug: 'DEBUG',
  info: 'INFO',
  notice: 'INFO',
  warn: 'WARNING',
  warning: 'WARNING',
  error: 'ERROR',
  fatal: 'CRITICAL',
  critical: 'CRITICAL',
}
const NUMBERS: readonly (readonly [number, LogEntryLevel])[] = [
  [60, 'CRITICAL'],
  [50, 'ERROR'],
  [40, 'WARNING'],
  [30, 'INFO'],
]

const STRUCTURED = /^\{.*?"level":\s*(?:"(\w+)"|(\d+))/i
const ERROR = /^(?:npm )?\[?\w*err(?:or|!)?(?:\]|:|!| |$)|: error[: ]|^The step \w+ failed/i
const CRITICAL = /^\[?(?:fatal|critical)\b/i
const WARNING = /^(?:npm )?\[?warn(?:ing)?\b/i
const DEBUG = /^\[?(?:debug|trace|verbose)\b/i

/** Fields that the entry already has, or that do not help its reader. */
const LEFT_OUT = new Set(['level', 'time', 'pid', 'hostname', 'msg', ...Object.keys(OF_PROJECT)])

export function levelOf(text: string): LogEntryLevel {
  const [, word, number] = STRUCTURED.exec(text) ?? []
  if (word) return WORDS[word.toLowerCase()] ?? 'INFO'
  if (number) return NUMBERS.find(([least]) => Number(number) >= least)?.[1] ?? 'DEBUG'
  if (CRITICAL.test(text)) return 'CRITICAL'
  if (ERROR.test(text)) return 'ERROR'
  if (WARNING.test(text)) return 'WARNING'
  return DEBUG.test(text) ? 'DEBUG' : 'INFO'
}

/** The message of a structured line, followed by its other fields. Any other line unchanged. */
export function messageOf(text: string): string {
  // The end of a long line was cut off.
  const json = STRUCTURED.test(text) ? jsonIn(text) : undefined
  const record = json as Record<string, unknown> | undefined
  if (typeof record?.msg !== 'string') return text
  const rest = Object.entries(record).filter(([name]) => !LEFT_OUT.has(name))
  return rest.length === 0
    ? record.msg
    : `${record.msg} ${JSON.stringify(Object.fromEntries(rest))}`
}
