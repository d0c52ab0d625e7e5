/** One-time tasks of a listener for a revision: listed in its orders until it reports them done. */
import { randomUUID } from 'node:crypto'
import type { Errand } from '../core/deployment/listener-protocol.ts'

/** Each without its id. */
type Order = Errand extends infer E ? (E extends Errand ? Omit<E, 'id'> : never) : never

interface Waiting {
  errand: Errand
  settle(isDone: boolean, value?: unknown): void
}

export class Errands {
  readonly #waiting = new Map<string, Waiting>()
  readonly #isAway: () => boolean
  readonly #onChange: () => void

  /** `isAway`: whether the listener is away. `onChange`: called when there is one more, or one less. */
  constructor(isAway: () => boolean, onChange: () => void) {
    this.#isAway = isAway
    this.#onChange = onChange
  }

  list(): Errand[] {
    return [...this.#waiting.values()].map(({ errand }) => errand)
  }

  /** Returns its answer; `undefined`: there is none after `limitMs`, or the listener is away. */
  async ask(order: Order, limitMs: number): Promise<unknown> {
    const { value } = await this.#run(order, limitMs)
    return value
  }

  /** Returns whether it was done. */
  async do(order: Order, limitMs: number): Promise<boolean> {
    const { isDone } = await this.#run(order, limitMs)
    return isDone
  }

  settle(id: string, value: unknown): void {
    this.#waiting.get(id)?.settle(true, value)
  }

  /** Gives up all that wait. */
  giveUp(): void {
    for (const { settle } of [...this.#waiting.values()]) settle(false)
  }

  async #run(order: Order, limitMs: number): Promise<{ isDone: boolean; value: unknown }> {
    if (this.#isAway()) return { isDone: false, value: undefined }
    const id = randomUUID()
    return new Promise((resolve) => {
      const settle = (isDone: boolean, value?: unknown) => {
        clearTimeout(timer)
        this.#waiting.delete(id)
        this.#onChange()
        resolve({ isDone, value })
      }
      const timer = setTimeout(() => settle(false), limitMs)
      timer.unref()
      this.#waiting.set(id, { errand: { id, ...order } as Errand, settle })
      this.#onChange()
    })
  }
}
