/** The output of an agent server: a file for users, and its last lines for error messages. */
import {
  appendFileSync,
  createWriteStream,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  type WriteStream,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { type Clock, timestamp } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { RuntimeParts } from './runtime-parts.ts'

/** How many lines a reason shows. */
const TAIL_LINES = 20
/** How many bytes may wait for the disk; further lines are left out of the file. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024

/** When a log is rotated. */
const MAX_LOG_BYTES = 10 * 1024 * 1024

/** Where a revision's log lies below the driver's `logsDir`: the file that is written, the one before. */
export function deployLogPaths(logsDir: string, revision_id: string): [string, string] {
  const path = join(logsDir, revision_id, 'deploy.log')
  return [path, olderLog(path)]
}

interface DeployLogOptions {
  /** `undefined`: only the last lines are kept. */
  path: string | undefined
  /** When the file is larger, it becomes `<path>.1` (the one before is lost) and a new one begins. */
  maxBytes: number
  clock: Clock
  /** Gets a warning if the file cannot be written; the agent server runs all the same. */
  log: Log
}

/** One revision's log, over all of its processes. */
export class DeployLog {
  readonly #options: DeployLogOptions
  #last: string[] = []
  #file: WriteStream | undefined
  #bytes = 0

  constructor(options: DeployLogOptions) {
    this.#options = options
    this.#open()
  }

  /** Adds one line, with the time in front. */
  line(text: string): void {
    this.#last.push(text)
    if (this.#last.length > TAIL_LINES) this.#last.shift()
    this.note(text)
  }

  /** Adds a line of the driver's own, which no reason shows. */
  note(text: string): void {
    this.#write(`${timestamp(this.#options.clock)} ${text}\n`)
  }

  /** The last 20 lines since the last `forget`, without their times. */
  tail(): string[] {
    return [...this.#last]
  }

  /** Empties the tail for a new process. */
  forget(): void {
    this.#last = []
  }

  close(): void {
    this.#file?.end()
    this.#file = undefined
  }

  #write(entry: string): void {
    if (!this.#file || this.#file.writableLength > MAX_WAITING_BYTES) return
    if (this.#bytes > this.#options.maxBytes) this.#rotate()
    this.#bytes += Buffer.byteLength(entry)
    this.#file?.write(entry)
  }

  #rotate(): void {
    this.close()
    const { path } = this.#options
    this.#guard(() => path && renameSync(path, olderLog(path)))
    this.#open()
  }

  #open(): void {
    const { path } = this.#options
    if (path === undefined) return
    this.#guard(() => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      // Opened at once: a rename may come before the stream would open it.
      const fd = openSync(path, 'a', 0o600)
      this.#bytes = statSync(path).size
      this.#file = createWriteStream(path, { fd })
      this.#file.on('error', (error) => this.#complain(error))
    })
  }

  #guard(work: () => unknown): void {
    try {
      work()
    } catch (error) {
      this.#complain(error)
    }
  }

  #complain(error: unknown): void {
    const { log, path } = this.#options
    log.warn({ err: error, path }, 'The deploy log cannot be written.')
  }
}

/** The log of a driver's revision. */
export function openDeployLog(
  { logsDir, maxLogBytes: maxBytes = MAX_LOG_BYTES, clock }: RuntimeParts,
  revision_id: string,
  log: Log,
): DeployLog {
  const path = logsDir && deployLogPaths(logsDir, revision_id)[0]
  return new DeployLog({ path, maxBytes, clock, log })
}

function olderLog(path: string): string {
  return `${path}.1`
}

/**
 * Appends lines, with their times, to the log of a revision that runs at a listener. If it cannot be written, `log`
 * gets a warning.
 */
export function createReportedLogs(
  logsDir: string,
  log: Log,
): (revision_id: string, text: string) => void {
  return (revision_id, text) => {
    const [path, older] = deployLogPaths(logsDir, revision_id)
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
      if (size > MAX_LOG_BYTES) renameSync(path, older)
      appendFileSync(path, text, { mode: 0o600 })
    } catch (error) {
      log.warn({ err: error, path }, 'The deploy log cannot be written.')
    }
  }
}
