/**
 * What is read of a stream, in bursts, and what is said beside it. What the stream has in one go comes as one list, so that the
 * promises on its way are paid for once.
 */

/** From how many on a burst is handed out: whoever takes it lets others come between. */
const MANY = 64

/** A stream, and what becomes of its items. */
interface Source<S, T> {
  stream: AsyncIterable<S>
  /** Called as soon as there is an item, before what made it can change it. `undefined`: nothing more is wanted. */
  read: (item: S) => readonly T[] | undefined
  /** Whether leaving early waits for the stream's own end. Code that ignores its signal may never answer. */
  isAwaited: boolean
}

export class Bursts<T> {
  #items: T[] = []
  /** Absent: nobody waits for items. */
  #tell: (() => void) | undefined

  /** They come behind what was read until now, at once where somebody waits. */
  add(items: readonly T[]): void {
    const isFirst = this.#items.length === 0
    for (const item of items) this.#items.push(item)
    if (this.#items.length >= MANY) this.#tell?.()
    else if (isFirst && items.length > 0) this.#tellSoon()
  }

  /** Lists of at least one. While nobody waits for the next list, no more than one item is taken from the stream. */
  async *of<S>({ stream, read, isAwaited }: Source<S, T>): AsyncGenerator<T[]> {
    const iterator = stream[Symbol.asyncIterator]()
    let isPulled = false
    let end: { error?: unknown } | undefined
    let hasMore = true
    const over = (how: { error?: unknown }) => {
      end = how
      this.#tell?.()
    }
    const onNext = (next: IteratorResult<S>) => {
      isPulled = false
      hasMore = !next.done
      const items = next.done ? undefined : read(next.value)
      if (!items) return over({})
      this.add(items)
      if (this.#tell && this.#items.length < MANY) pull()
    }
    const pull = () => {
      if (isPulled || end) return
      isPulled = true
      iterator
        .next()
        .then(onNext)
        .catch((error: unknown) => over({ error }))
    }
    try {
      while (!end || this.#items.length > 0) {
        if (!end) {
          const come = this.#come()
          pull()
          await come
        }
        if (this.#items.length > 0) yield this.#items.splice(0)
      }
      if ('error' in end) throw end.error
    } finally {
      const left = hasMore ? iterator.return?.() : undefined
      if (isAwaited) await left
      else left?.catch(() => {})
    }
  }

  /** What is added until the work is done. It must not reject. */
  until(work: Promise<void>): AsyncGenerator<T[]> {
    const next = async (): Promise<IteratorResult<never>> => {
      await work
      return { done: true, value: undefined }
    }
    const stream = { [Symbol.asyncIterator]: () => ({ next }) }
    return this.of({ stream, read: () => [], isAwaited: false })
  }

  /** Settles when there are items and no more come by themselves, or when the stream is over. */
  #come(): Promise<void> {
    return new Promise((resolve) => {
      // By a name: V8 keeps a function that is assigned to a property until the heap is collected as a whole.
      const tell = () => {
        // One that was told at once, since there were many, is called once more: by then somebody waits for the next list.
        if (this.#tell !== tell) return
        this.#tell = undefined
        resolve()
      }
      this.#tell = tell
      if (this.#items.length > 0) this.#tellSoon()
    })
  }

  /** When all promises that can settle now have settled. */
  #tellSoon(): void {
    const tell = this.#tell
    if (tell) process.nextTick(tell)
  }
}
