/** In which order the parts of a server process stop. */
import type { Log } from '../core/log.ts'

/**
 * The started parts, in order. They stop in reverse order; one failure does not keep the rest. `How`: passed to each
 * part's `stop`.
 */
export class Started<How = void> {
  readonly #log: Log
  readonly #stops: { name: string; stop: (how: How) => Promise<void> | void }[] = []

  constructor(log: Log) {
    this.#log = log
  }

  add(name: string, stop: (how: How) => Promise<void> | void): void {
    this.#stops.push({ name, stop })
  }

  /** A second call finds nothing left to do. */
  async stop(how: How): Promise<void> {
    for (const part of this.#stops.splice(0).reverse()) {
      try {
        await part.stop(how)
      } catch (error) {
        this.#log.error({ err: error, part: part.name }, 'a part did not stop cleanly')
      }
    }
  }
}
