/** A stream, and what is said beside it. */

/** What is added comes before what the stream has next, at once where somebody waits for that. */
export class WithAsides<T> {
  readonly #added: T[] = []
  #wake: () => void = () => {}

  add(aside: T): void {
    this.#added.push(aside)
    this.#wake()
  }

  async *around<S>(stream: AsyncIterable<S>): AsyncGenerator<S | T> {
    const iterator = stream[Symbol.asyncIterator]()
    let next: Promise<IteratorResult<S>> | undefined
    try {
      for (;;) {
        next ??= lookedAtLater(iterator.next())
        const come = await this.#first(next)
        yield* this.#added.splice(0)
        if (!come) continue
        if (come.done) return
        next = undefined
        yield come.value
      }
    } finally {
      // Not waited for: code that ignores its signal may never answer.
      iterator.return?.().catch(() => {})
    }
  }

  /** What is added until the work is done. It must not reject. */
  until(work: Promise<void>): AsyncGenerator<T> {
    const next = async (): Promise<IteratorResult<never>> => {
      await work
      return { done: true, value: undefined }
    }
    return this.around({ [Symbol.asyncIterator]: () => ({ next }) })
  }

  /** `undefined`: something was added first. */
  #first<R>(next: Promise<R>): Promise<R | undefined> {
    if (this.#added.length > 0) return Promise.resolve(undefined)
    return new Promise((resolve, reject) => {
      // By a name: V8 keeps a function that is assigned to a property until the heap is collected as a whole.
      const wake = () => resolve(undefined)
      this.#wake = wake
      next.then(resolve, reject)
    })
  }
}

/** The promise, which may reject before somebody waits for it: what was added is handed out first. */
function lookedAtLater<T>(next: Promise<T>): Promise<T> {
  next.catch(() => {})
  return next
}
