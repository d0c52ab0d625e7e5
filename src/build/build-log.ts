/** A build's log: a file for users, and the last lines for error messages. */
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { type Clock, timestamp } from '../core/clock.ts'
import type { Log } from '../core/log.ts'

/** How many lines a failure shows. */
const TAIL_LINES = 20
/** At this size the log says so once and takes no more. */
const MAX_LOG_BYTES = 20 * 1024 * 1024

export interface BuildLog {
  /** Adds one line, with the time in front. */
  line(text: string): void
  /** The last 20 lines, without their times. */
  tail(): string[]
  /** Resolves when all lines are in the file. */
  close(): Promise<void>
}

/** Opens the log at `path`. If the file cannot be written, `log` gets a warning and the build goes on. */
export function openBuildLog(path: string, clock: Clock, log: Log): BuildLog {
  const file = createWriteStream(path, { flags: 'a', mode: 0o600 })
  const last: string[] = []
  let room = MAX_LOG_BYTES
  file.on('error', (error) => log.warn({ err: error, path }, 'The build log cannot be written.'))

  const write = (text: string) => {
    const entry = `${timestamp(clock)} ${text}\n`
    if (room <= 0 || file.destroyed) return
    room -= Buffer.byteLength(entry)
    file.write(room > 0 ? entry : `${timestamp(clock)} The log is full: the rest is left out.\n`)
  }
  return {
    line(text) {
      last.push(text)
      if (last.length > TAIL_LINES) last.shift()
      write(text)
    },
    tail: () => [...last],
    async close() {
      if (file.destroyed) return
      file.end()
      await finished(file).catch(() => {})
    },
  }
}

/** A log whose lines go to `say`. */
export function printedLog(say: (line: string) => void): BuildLog {
  const last: string[] = []
  return {
    line(text) {
      last.push(text)
      if (last.length > TAIL_LINES) last.shift()
      say(text)
    },
    tail: () => [...last],
    close: async () => {},
  }
}
