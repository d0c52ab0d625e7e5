/** The log as readable text instead of JSON (`LOG_JSON=false`). */
import { writeSync } from 'node:fs'
import type { DestinationStream } from 'pino'
import { messageOf } from './log-line.ts'

/** Writes each line of the log to standard error, as `time LEVEL message fields`. */
export function readableLog(): DestinationStream {
  return { write: (line) => void writeSync(2, `${readableLine(line.trimEnd())}\n`) }
}

/** One line of the log; any other line unchanged. */
export function readableLine(line: string): string {
  const [, level, time] = /^\{"level":"(\w+)","time":"([^"]+)"/.exec(line) ?? []
  return level && time ? `${time} ${level.toUpperCase().padEnd(5)} ${messageOf(line)}` : line
}
