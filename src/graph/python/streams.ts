/** The two ends of a stream of items: the sender waits for credit, the reader gives it. */

const FIRST_CREDIT = 16
/** How many items are taken before credit is given for them. */
const GIVEN_AT_ONCE = 8

export class Sender<T> {
  readonly #send: (item: T) => void
  #credit = FIRST_CREDIT
  #isWanted = true
  #wake: () => void = () => {}

  constructor(send: (item: T) => void) {
    this.#send = send
  }

  /** One item at a time. `false`: no more items are wanted. */
  async send(item: T): Promise<boolean> {
    while (this.#isWanted && this.#credit === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    if (!this.#isWanted) return false
    this.#credit -= 1
    this.#send(item)
    return true
  }

  give(count: number): void {
    this.#credit += count
    this.#wake()
  }

  unwant(): void {
    this.#isWanted = false
    this.#wake()
  }
}

interface ItemsParts {
  /** The other side may send that many more. */
  give: (count: number) => void
  /** It need not send the rest. */
  unwant: () => void
}

/** The items that the other side sends, in their order. They are read once, one after the other. */
export class Items<T> implements AsyncIterableIterator<T> {
  readonly #parts: ItemsParts
  #items: T[] = []
  #taken = 0
  #isOver = false
  #isWanted = true
  #error: unknown
  #waiting: PromiseWithResolvers<IteratorResult<T>> | undefined
  #whenTaken: (() => void)[] = []

  constructor(parts: ItemsParts) {
    this.#parts = parts
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  push(item: T): void {
    if (!this.#isWanted || this.#isOver) return
    if (!this.#waiting) {
      this.#items.push(item)
      return
    }
    this.#answer({ done: false, value: item })
    this.#count(1)
  }

  /** No more items will come; `error`: the reader gets it after the items that have come. */
  end(error?: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#error = error
    if (error === undefined) this.#answer({ done: true, value: undefined })
    else this.#refuse(error)
  }

  async next(): Promise<IteratorResult<T>> {
    const [first] = this.#items
    if (first !== undefined) {
      this.#items.shift()
      this.#count(1)
      return { done: false, value: first }
    }
    const taken = this.#whenTaken.splice(0)
    for (const resolve of taken) resolve()
    if (this.#error !== undefined) throw this.#error
    if (this.#isOver || !this.#isWanted) return { done: true, value: undefined }
    this.#waiting = Promise.withResolvers()
    return this.#waiting.promise
  }

  /** Takes all items that have arrived, at once. */
  takeAll(): T[] {
    const all = this.#items
    this.#items = []
    this.#count(all.length)
    return all
  }

  /** Resolves when the reader has taken all items so far, and waits for more or wants none. */
  async taken(): Promise<void> {
    if (this.#waiting || this.#isOver || !this.#isWanted) return
    await new Promise<void>((resolve) => this.#whenTaken.push(resolve))
  }

  async return(): Promise<IteratorResult<T>> {
    if (this.#isWanted && !this.#isOver) this.#parts.unwant()
    this.#isWanted = false
    this.#items = []
    for (const resolve of this.#whenTaken.splice(0)) resolve()
    this.#answer({ done: true, value: undefined })
    return { done: true, value: undefined }
  }

  #answer(result: IteratorResult<T>): void {
    this.#waiting?.resolve(result)
    this.#waiting = undefined
  }

  #refuse(error: unknown): void {
    this.#waiting?.reject(error)
    this.#waiting = undefined
  }

  #count(taken: number): void {
    this.#taken += taken
    if (this.#taken < GIVEN_AT_ONCE || this.#isOver) return
    this.#parts.give(this.#taken)
    this.#taken = 0
  }
}
