/** The processes that execute the runs of a `serve --workers N`: started, started again, stopped. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../core/log.ts'
import { commandPath } from './command-path.ts'
import type { NoticePeer } from './process-notices.ts'

/** How long to wait before a worker that has ended is started again, in ms: at first, and at most. */
const FIRST_WAIT_MS = 200
const MAX_WAIT_MS = 10_000
/** One that ran for so long had no trouble starting, in ms. */
const STEADY_MS = 30_000

export interface WorkersOptions {
  count: number
  /** What `serve` is given, the role apart. */
  args: string[]
  /** Called for each worker that was started. */
  onStart: (worker: NoticePeer) => void
  log: Log
}

export class Workers {
  readonly #options: WorkersOptions
  readonly #children = new Set<ChildProcess>()
  readonly #stopping = new AbortController()
  #kept: Promise<unknown> = Promise.resolve()

  constructor(options: WorkersOptions) {
    this.#options = options
  }

  /** Starts them, each by itself; one that ends is started again until `stop`. */
  start(): void {
    const { count } = this.#options
    this.#kept = Promise.all(Array.from({ length: count }, (_, index) => this.#keep(index + 1)))
  }

  /** Has them hand on their runs; settles when all are gone. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    for (const child of this.#children) child.kill('SIGTERM')
    await this.#kept
  }

  async #keep(number: number): Promise<void> {
    const { signal } = this.#stopping
    let waitMs = FIRST_WAIT_MS
    while (!signal.aborted) {
      const since = performance.now()
      const reason = await this.#runOnce()
      if (signal.aborted) return
      if (performance.now() - since > STEADY_MS) waitMs = FIRST_WAIT_MS
      this.#options.log.error({ worker: number, reason }, 'a worker has ended; it is started again')
      await delay(waitMs, undefined, { signal }).catch(() => {})
      waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)
    }
  }

  /** Settles when the process has ended, with its exit code or the signal. */
  async #runOnce(): Promise<unknown> {
    const { args, onStart } = this.#options
    const flags = ['serve', '--role', 'worker', '--helper', ...args]
    const child = spawn(process.execPath, [commandPath(), ...flags], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const ended = once(child, 'exit').catch((error: unknown) => [error])
    this.#children.add(child)
    onStart(child)
    const [code, signal] = await ended
    this.#children.delete(child)
    return signal ?? code
  }
}
