/** Who waits for which consent, in this process. */
export class Wakes {
  readonly #waiting = new Map<string, Set<() => void>>()

  /** Wakes everybody who waits for it. */
  wake(id: string): void {
    for (const wake of this.#waiting.get(id) ?? []) wake()
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
