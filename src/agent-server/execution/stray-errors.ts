/** Errors of a project's code that reach the process: Node would end it, and every run in it. */
import { AppError, DatabaseAway } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { currentOrigin, type Origin, withOrigin } from '../../core/origin.ts'

/** How long a rejected promise may lack a handler before it is reported, in ms. */
const PATIENCE_MS = 1_000
/** Minimum time between log lines with the same error of an unreachable database, in ms. */
const TOLD_ONCE_MS = 60_000

/**
 * Keeps the server alive when a promise without a handler rejects. A rejection from a project's code ends the run that
 * it came from. LangGraph also leaves promises without a handler for a moment: it writes checkpoints in the background,
 * and a checkpoint that is refused because its run was handed over rejects before LangGraph awaits it.
 */
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

/**
 * Keeps the server alive when code throws an uncaught exception, as in a timer or an emitter's listener.
 * The exception ends only the run that it came from, as if one of its nodes had thrown.
 */
export class StrayExceptions {
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  start(): void {
    process.on('uncaughtException', this.#onException)
  }

  /** A second call does nothing. */
  stop(): void {
    process.off('uncaughtException', this.#onException)
  }

  /** Node calls it in the context of the code that threw. */
  readonly #onException = (error: unknown) => {
    const hasFailed = currentOrigin().fail?.(error) ?? false
    const what = hasFailed ? 'its run ends in error' : 'no run ends for it'
    this.#log.error({ err: error }, `uncaught exception: ${what}`)
  }
}
