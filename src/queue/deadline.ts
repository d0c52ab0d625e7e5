/** A moment that may be moved to an earlier time, never to a later one. */
export class Deadline {
  /** Settles at that moment; never, as long as none was set. */
  readonly passed: Promise<void>
  #pass: () => void = () => {}
  #at = Number.POSITIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  constructor() {
    this.passed = new Promise((resolve) => {
      this.#pass = resolve
    })
  }

  /** Sets the moment to `ms` from now, unless it comes earlier anyhow. */
  within(ms: number): void {
    const at = performance.now() + ms
    if (at >= this.#at) return
    this.#at = at
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#pass, ms)
  }

  /** Stops the timer. Later calls of `within` set none. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#at = Number.NEGATIVE_INFINITY
  }
}
