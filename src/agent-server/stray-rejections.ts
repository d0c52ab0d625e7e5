/**
 * Keeps the server alive when a promise that nobody waits for rejects. A project's code may leave
 * one, and LangGraph does: checkpoints are written in the background, and one that is refused
 * because its run was handed on rejects before LangGraph looks. Node would end the process, and
 * every other run with it.
 */
import type { Log } from '../core/log.ts'

export class StrayRejections {
  readonly #onRejection: (reason: unknown) => void

  constructor(log: Log) {
    this.#onRejection = (reason) => log.error({ err: reason }, 'a promise rejected unattended')
  }

  start(): void {
    process.on('unhandledRejection', this.#onRejection)
  }

  /** A second call does nothing. */
  stop(): void {
    process.off('unhandledRejection', this.#onRejection)
  }
}
