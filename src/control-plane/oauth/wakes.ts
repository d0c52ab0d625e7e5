/** Who waits for which consent, in this process. */
import { AppError } from '../../core/errors.ts'

/** How many requests of one caller may wait here at a time: each is an open connection. */
const WAITS_OF_CALLER = 500

export class Wakes {
  readonly #callers = new Map<string, number>()
  readonly #waiting = new Map<string, Set<() => void>>()

  /** Wakes everybody who waits for it. */
  wake(id: string): void {
    for (const wake of this.#waiting.get(id) ?? []) wake()
  }

  /** Does work that waits for a caller. Throws `too_many_requests` where they wait too often already. */
  async waitingFor<T>(user_id: string, work: () => Promise<T>): Promise<T> {
    const count = this.#callers.get(user_id) ?? 0
    if (count >= WAITS_OF_CALLER) {
      const how = `A caller may wait ${WAITS_OF_CALLER} times at once. Ask with timeout=0 instead.`
      throw new AppError('too_many_requests', how, { retryAfterSeconds: 30 })
    }
    this.#callers.set(user_id, count + 1)
    try {
      return await work()
    } finally {
      const left = (this.#callers.get(user_id) ?? 1) - 1
      if (left > 0) this.#callers.set(user_id, left)
      else this.#callers.delete(user_id)
    }
  }

  /** Settles when it is woken, after `limitMs`, or when `signal` is aborted. */
  wait(id: string, limitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(id) ?? new Set()
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        waiting.delete(end)
        if (waiting.size === 0) this.#waiting.delete(id)
        resolve()
      }
      const timer = setTimeout(end, limitMs)
      signal.addEventListener('abort', end, { once: true })
      this.#waiting.set(id, waiting.add(end))
      if (signal.aborted) end()
    })
  }
}
