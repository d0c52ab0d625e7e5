import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Looks for work: one look at a time, another one if it was asked for meanwhile, and the next by a timer. A look runs in
 * the async context of the constructor, and not in that of the caller who asked for it.
 */
export class Looks {
  /** Returns the time until the next look, in ms. Never rejects. `isPoll`: the look comes from the timer. */
  readonly #look: (isPoll: boolean) => Promise<number>
  readonly #outside = AsyncLocalStorage.snapshot()
  #isWanted = false
  #isStopped = false
  #running: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(look: (isPoll: boolean) => Promise<number>) {
    this.#look = look
  }

  /** Whether a look is under way. */
  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** Looks now, or once more after the look that is under way. Does nothing after `stop`. */
  request(isPoll = false): void {
    if (this.#isStopped) return
    this.#isWanted = true
    this.#running ??= this.#outside(() => this.#run(isPoll))
  }

  /** Waits for the look that is under way; none follows. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#running
  }

  async #run(isPoll: boolean): Promise<void> {
    clearTimeout(this.#timer)
    let nextMs = 0
    for (let isFromTimer = isPoll; this.#isWanted && !this.#isStopped; isFromTimer = false) {
      this.#isWanted = false
      nextMs = await this.#look(isFromTimer)
    }
    this.#running = undefined
    if (!this.#isStopped) this.#timer = setTimeout(() => this.request(true), nextMs)
  }
}
