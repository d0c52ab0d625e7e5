/**
 * Keeps the server alive when a promise that nobody waits for rejects: Node would end the process, and
 * every other run with it. A project's code may leave one, which ends the run that it came from. And
 * LangGraph does for a moment: checkpoints are written in the background, and one that is refused
 * because its run was handed on rejects before LangGraph looks.
 */
import { AppError, DatabaseAway } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { currentOrigin, type Origin, withOrigin } from '../../core/origin.ts'

/** How long somebody may take to look at a promise until it is told of, in ms. */
const PATIENCE_MS = 1_000
/** How long nothing more is said of a database that is away in the same way, in ms. */
const TOLD_ONCE_MS = 60_000

export class StrayRejections {
  readonly #log: Log
  readonly #unattended = new Map<Promise<unknown>, NodeJS.Timeout>()
  #told = { message: '', at: Number.NEGATIVE_INFINITY }

  constructor(log: Log) {
    this.#log = log
  }

  start(): void {
    process.on('unhandledRejection', this.#onRejection)
    process.on('rejectionHandled', this.#onHandled)
  }

  /** A second call does nothing. */
  stop(): void {
    process.off('unhandledRejection', this.#onRejection)
    process.off('rejectionHandled', this.#onHandled)
    for (const timer of this.#unattended.values()) clearTimeout(timer)
    this.#unattended.clear()
  }

  readonly #onRejection = (reason: unknown, promise: Promise<unknown>) => {
    const origin = currentOrigin()
    const timer = setTimeout(() => this.#tell(reason, promise, origin), PATIENCE_MS)
    this.#unattended.set(promise, timer.unref())
  }

  readonly #onHandled = (promise: Promise<unknown>) => {
    clearTimeout(this.#unattended.get(promise))
    this.#unattended.delete(promise)
  }

  #tell(reason: unknown, promise: Promise<unknown>, origin: Origin): void {
    this.#unattended.delete(promise)
    if (!this.#isToldAlready(reason)) {
      withOrigin(origin, () => this.#log.error({ err: reason }, 'a promise rejected unattended'))
    }
    // What our own database has refused LangGraph comes to in the end, however long its step takes.
    if (!(reason instanceof AppError)) origin.fail?.(reason)
  }

  /** Each step of a run leaves some while the database is away. */
  #isToldAlready(reason: unknown): boolean {
    if (!(reason instanceof DatabaseAway)) return false
    const { message } = reason
    const now = performance.now()
    if (message === this.#told.message && now - this.#told.at < TOLD_ONCE_MS) return true
    this.#told = { message, at: now }
    return false
  }
}
