/** The processes that execute the runs of a `serve --workers N`: started, started again, stopped. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Backoff, keepRunning } from '../child-process/restarts.ts'
import type { Log } from '../core/log.ts'
import type { NoticePeer } from './notices.ts'

/** One that ran for `resetMs` had no trouble starting. */
const BACKOFF: Backoff = { firstMs: 200, baseMs: 400, maxMs: 10_000, resetMs: 30_000 }

interface WorkersOptions {
  count: number
  /** The CLI's door: `runyard`. */
  commandPath: string
  /** What `serve` is given, the role apart. */
  args: string[]
  /** All their variables: the project of this process may have changed its own. */
  env: Readonly<Record<string, string>>
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
    const runOnce = async () => {
      const since = performance.now()
      const reason = await this.#runOnce()
      if (signal.aborted) return undefined
      this.#options.log.error({ worker: number, reason }, 'a worker has ended; it is started again')
      return performance.now() - since
    }
    await keepRunning({ runOnce, backoff: BACKOFF, signal })
  }

  /** Settles when the process has ended, with its exit code or the signal. */
  async #runOnce(): Promise<unknown> {
    const { args, env, commandPath, onStart } = this.#options
    const flags = ['serve', '--role', 'worker', '--helper', ...args]
    const child = spawn(process.execPath, [commandPath, ...flags], {
      env,
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
