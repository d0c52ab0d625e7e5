/**
 * Keeps the server alive when code throws an uncaught exception, as in a timer or an emitter's listener.
 * The exception ends only the run that it came from, as if one of its nodes had thrown.
 */
import type { Log } from '../../core/log.ts'
import { currentOrigin } from '../../core/origin.ts'

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
