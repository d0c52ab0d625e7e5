/** How loud a printed line is, and what it says: whatever program it comes from. */
import type { LogEntryLevel } from '../core/deployment/revision-log.ts'

/** Of pino and its kind: words, or numbers from 10 (trace) to 60 (fatal). */
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

/** Members that the entry itself has, or that say nothing to its reader. */
const LEFT_OUT = new Set(['level', 'time', 'pid', 'hostname', 'msg'])

export function levelOf(text: string): LogEntryLevel {
  const [, word, number] = STRUCTURED.exec(text) ?? []
  if (word) return WORDS[word.toLowerCase()] ?? 'INFO'
  if (number) return NUMBERS.find(([least]) => Number(number) >= least)?.[1] ?? 'DEBUG'
  if (CRITICAL.test(text)) return 'CRITICAL'
  if (ERROR.test(text)) return 'ERROR'
  if (WARNING.test(text)) return 'WARNING'
  return DEBUG.test(text) ? 'DEBUG' : 'INFO'
}

/** Of a structured line the sentence, and behind it what else it carries; any other as it is. */
export function messageOf(text: string): string {
  const record = STRUCTURED.test(text) ? parse(text) : undefined
  if (typeof record?.msg !== 'string') return text
  const rest = Object.entries(record).filter(([name]) => !LEFT_OUT.has(name))
  return rest.length === 0
    ? record.msg
    : `${record.msg} ${JSON.stringify(Object.fromEntries(rest))}`
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    // A long line was cut.
    return undefined
  }
}
