/** One-time tasks of a listener for a revision: listed in its orders until it reports them done. */
import { randomUUID } from 'node:crypto'
import type { Errand } from '../core/deployment/listener-protocol.ts'

/** Each without its id. */
type Order = Errand extends infer E ? (E extends Errand ? Omit<E, 'id'> : never) : never

interface Waiting {
  errand: Errand
  settle(isDone: boolean, value?: unknown): void
}

/** The state of a listener as known here. */
export interface ListenerState {
  /** A sentence, when it has not been heard from for a while. */
  readonly away: string | undefined
  /** Sends the listener what has changed here; returns the number of the version that has it. */
  renew(): number
}

export class Errands {
  readonly #waiting = new Map<string, Waiting>()
  readonly #listener: ListenerState

  constructor(listener: ListenerState) {
    this.#listener = listener
  }

  list(): Errand[] {
    return [...this.#waiting.values()].map(({ errand }) => errand)
  }

  settle(id: string, value: unknown): void {
    this.#waiting.get(id)?.settle(true, value)
  }

  /** Gives up all that wait. */
  giveUp(): void {
    for (const { settle } of [...this.#waiting.values()]) settle(false)
  }

  /** `isDone`: the listener has done it within `limitMs`, and was not away. `value`: its answer. */
  async run(order: Order, limitMs: number): Promise<{ isDone: boolean; value: unknown }> {
    if (this.#listener.away !== undefined) return { isDone: false, value: undefined }
    const id = randomUUID()
    return new Promise((resolve) => {
      const settle = (isDone: boolean, value?: unknown) => {
        clearTimeout(timer)
        this.#waiting.delete(id)
        this.#listener.renew()
        resolve({ isDone, value })
      }
      const timer = setTimeout(() => settle(false), limitMs)
      timer.unref()
      this.#waiting.set(id, { errand: { id, ...order } as Errand, settle })
      this.#listener.renew()
    })
  }
}
