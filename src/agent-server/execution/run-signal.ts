/** The signal that ends an attempt at a run, and the wait for project code that may ignore it. */
import type { StopReason } from '../../queue/execution.ts'

/** Why an attempt was ended before its graph: by the queue, by its time limit, or by a crash of its code. */
export type AbortReason =
  | StopReason
  | { kind: 'timed_out'; limitMs: number }
  /** The run's code threw an error that the graph could not catch, or tried to end the process. */
  | { kind: 'crashed'; error: unknown }

/** The largest delay that `setTimeout` accepts. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * Aborts with the first `AbortReason`. Call `stop` after use.
 *
 * `AbortSignal.any` needs no `stop`, but uses weak references: their targets, which include all listeners, outlive
 * the short garbage collections. For a run that is all its memory.
 */
export class RunSignal {
  readonly #controller = new AbortController()
  readonly #ofQueue: AbortSignal
  readonly #timer: NodeJS.Timeout
  readonly #onAbort = () => this.#abort(this.#ofQueue.reason)
  #isOutcomeKnown = false

  /** `ofQueue` aborts with a `StopReason`. Starts the time limit. */
  constructor(ofQueue: AbortSignal, limitMs: number) {
    this.#ofQueue = ofQueue
    if (ofQueue.aborted) this.#onAbort()
    else ofQueue.addEventListener('abort', this.#onAbort)
    const delay = Math.min(limitMs, MAX_TIMER_MS)
    this.#timer = setTimeout(() => this.#abort({ kind: 'timed_out', limitMs }), delay)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** `false`: the run is already ending. */
  readonly crash = (error: unknown): boolean => {
    if (this.#isOutcomeKnown || this.signal.aborted) return false
    this.#abort({ kind: 'crashed', error })
    return true
  }

  /** Call when the run's outcome is known: later crashes are ignored. */
  ignoreCrashes(): void {
    this.#isOutcomeKnown = true
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#ofQueue.removeEventListener('abort', this.#onAbort)
  }

  #abort(reason: AbortReason): void {
    this.#controller.abort(reason)
  }
}

/** Waits for project code that may ignore its abort signal. */
export class AbortTimeout {
  readonly #signal: AbortSignal
  readonly #graceMs: number
  readonly #onAbort = () => this.#startTimer()
  #timer: NodeJS.Timeout | undefined
  #isOver = false
  #giveUp: (reason: unknown) => void = () => {}

  /** `graceMs`: how long the code may continue after the abort before `wait` rejects. */
  constructor(signal: AbortSignal, graceMs: number) {
    this.#signal = signal
    this.#graceMs = graceMs
    if (signal.aborted) this.#startTimer()
    else signal.addEventListener('abort', this.#onAbort)
  }

  /** Settles like the promise. Rejects with the signal's reason when the grace time after the abort is over. */
  wait<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(resolve, reject)
      if (this.#isOver) reject(this.#signal.reason)
      // Not `Promise.race`: it would keep a reaction for each wait of a long stream.
      this.#giveUp = reject
    })
  }

  /** Whether the grace time after the abort is over. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Each item of the stream until it ends or fails. Rejects like `wait`. */
  async *each<T>(stream: AsyncIterable<T>): AsyncIterable<T> {
    const iterator = stream[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await this.wait(iterator.next())
        if (next.done) return
        yield next.value
      }
    } finally {
      // Not awaited: code that ignores its signal may never return.
      iterator.return?.().catch(() => {})
    }
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#signal.removeEventListener('abort', this.#onAbort)
  }

  #startTimer(): void {
    this.#timer = setTimeout(() => {
      this.#isOver = true
      this.#giveUp(this.#signal.reason)
    }, this.#graceMs)
  }
}
