/** The log as text instead of JSON: complete (`LOG_JSON=false`), or as lines for a person at a terminal. */
import { writeSync } from 'node:fs'
import type { DestinationStream } from 'pino'
import { isObject, jsonIn } from '../core/json.ts'
import { messageOf } from './log-line.ts'

/** Forms a line of the log. `undefined`: it is not shown. */
export type LineFormat = (line: string) => string | undefined

/** Writes each line of the log to standard error in this form. */
export function formattedLog(format: LineFormat): DestinationStream {
  return {
    write(line) {
      const text = format(line.trimEnd())
      if (text !== undefined) writeSync(2, `${text}\n`)
    },
  }
}

/** One line of the log as `time LEVEL message fields`; any other line unchanged. */
export function readableLine(line: string): string {
  const [, level, time] = /^\{"level":"(\w+)","time":"([^"]+)"/.exec(line) ?? []
  return level && time ? `${time} ${level.toUpperCase().padEnd(5)} ${messageOf(line)}` : line
}

/** The steps of a rollout that a person sees, by the status that begins them. */
const STEPS: Readonly<Record<string, string>> = { BUILDING: 'building …', DEPLOYING: 'starting …' }

/**
 * Makes the form for terminals: `12:00:05 example #3: deployed in 9 s`. The steps of rollouts are sentences, warnings
 * and errors have their reason, and entries of level `info` about a revision are not shown: its steps say it. An error
 * keeps its stack.
 */
export function terminalLines(): LineFormat {
  const begunAt = new Map<unknown, number>()
  return (line) => {
    const entry = line.startsWith('{"level":') ? (jsonIn(line) as Entry | undefined) : undefined
    if (!entry) return line
    const { level, time, msg, revision_id, number, deployment, from, to } = entry
    const at = new Date(String(time))
    const say = (text: string) => `${at.toTimeString().slice(0, 8)} ${text}`
    if (to !== undefined && from !== undefined && revision_id !== undefined) {
      const begun = begunAt.get(revision_id) ?? at.getTime()
      const isOver = !/ING$|^QUEUED$|^AWAITING/.test(String(to))
      if (isOver) begunAt.delete(revision_id)
      else begunAt.set(revision_id, begun)
      const seconds = Math.round((at.getTime() - begun) / 1000)
      const step = isOver ? outcome(entry, seconds) : STEPS[String(to)]
      const revision = number === undefined ? '' : ` #${number}`
      return step === undefined ? undefined : say(`${deployment}${revision}: ${step}`)
    }
    if (level === 'debug') return readableLine(line)
    if (level === 'info' && revision_id !== undefined) return undefined
    const mark = level === 'info' ? '' : `${level === 'warn' ? 'warning' : level}: `
    const about = typeof deployment === 'string' ? `${deployment}: ` : ''
    return say(`${mark}${about}${msg}${reasonOf(entry)}`)
  }
}

type Entry = Record<string, unknown>

/** `deployed in 9 s`, or `build failed: ` with the first line of the reason. */
function outcome({ to, message }: Entry, seconds: number): string {
  if (to === 'DEPLOYED') return `deployed in ${seconds} s`
  const what = String(to).toLowerCase().replaceAll('_', ' ')
  return typeof message === 'string' ? `${what}: ${message.split('\n')[0]}` : what
}

/** Fields that the sentence has, or that help only programs. */
const LEFT_OUT = new Set(['level', 'time', 'pid', 'msg', 'deployment', 'err', 'request_id', 'mark'])

function reasonOf(entry: Entry): string {
  const rest = Object.entries(entry)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const fields = rest.length > 0 ? ` (${rest.join(', ')})` : ''
  if (!isObject(entry.err)) return fields
  const { message, stack } = entry.err
  return `: ${message}${fields}${entry.level === 'error' && stack ? `\n${stack}` : ''}`
}
