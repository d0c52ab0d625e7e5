/** A moment that may come earlier than was said at first, never later. */
export class Deadline {
  /** Settles when the moment has come; never before one was said. */
  readonly passed: Promise<void>
  #pass: () => void = () => {}
  #at = Number.POSITIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  constructor() {
    this.passed = new Promise((resolve) => {
      this.#pass = resolve
    })
  }

  /** It comes in `ms` at the latest. */
  within(ms: number): void {
    const at = performance.now() + ms
    if (at >= this.#at) return
    this.#at = at
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#pass, ms)
  }

  /** Nobody waits any more: what is said later sets no timer. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#at = Number.NEGATIVE_INFINITY
  }
}
