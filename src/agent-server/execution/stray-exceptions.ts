/**
 * Keeps the server alive when code throws where nobody can catch it: in a timer, or in an emitter's
 * listener. It ends the run that it came from, as if one of its nodes had thrown, and no other.
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

  /** Node calls it in the context of the code that has thrown. */
  readonly #onException = (error: unknown) => {
    const hasFailed = currentOrigin().fail?.(error) ?? false
    const what = hasFailed ? 'its run ends in error' : 'no run ends for it'
    this.#log.error({ err: error }, `nobody caught an exception: ${what}`)
  }
}
