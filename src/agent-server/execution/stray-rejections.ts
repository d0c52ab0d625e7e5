/**
 * Keeps the server alive when a promise without a handler rejects: Node would end the process and every
 * run in it. A rejection from a project's code ends the run that it came from. LangGraph also leaves
 * promises without a handler for a moment: it writes checkpoints in the background, and a checkpoint
 * that is refused because its run was handed over rejects before LangGraph awaits it.
 */
import { AppError, DatabaseAway } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { currentOrigin, type Origin, withOrigin } from '../../core/origin.ts'

/** How long a rejected promise may lack a handler before it is reported, in ms. */
const PATIENCE_MS = 1_000
/** Minimum time between log lines with the same error of an unreachable database, in ms. */
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
    // LangGraph awaits writes that our own database refused in the end, however long its step takes.
    if (!(reason instanceof AppError)) origin.fail?.(reason)
  }

  /** Each step of a run leaves rejections while the database is away. */
  #isToldAlready(reason: unknown): boolean {
    if (!(reason instanceof DatabaseAway)) return false
    const { message } = reason
    const now = performance.now()
    if (message === this.#told.message && now - this.#told.at < TOLD_ONCE_MS) return true
    this.#told = { message, at: now }
    return false
  }
}
