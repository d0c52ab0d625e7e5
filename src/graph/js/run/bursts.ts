/**
 * Reads a stream, and items that are added beside it, in bursts. Items that are ready together come as one list, so
 * that the promises on the way are paid for once.
 */

/** Burst size at which the loop yields to other work. */
const MANY = 64

/** A stream, and how its items are read. */
interface Source<S, T> {
  stream: AsyncIterable<S>
  /** Called as soon as an item arrives, before its maker can change it. `undefined`: nothing more is wanted. */
  read: (item: S) => readonly T[] | undefined
  /** Whether leaving early waits for the stream's own end. Code that ignores its signal may never end. */
  isAwaited: boolean
}

export class Bursts<T> {
  #items: T[] = []
  /** Absent: no reader waits for items. */
  #tell: (() => void) | undefined

  /** Adds items behind those read so far; a waiting reader gets them at once. */
  add(items: readonly T[]): void {
    const isFirst = this.#items.length === 0
    for (const item of items) this.#items.push(item)
    if (this.#items.length >= MANY) this.#tell?.()
    else if (isFirst && items.length > 0) this.#tellSoon()
  }

  /** Yields lists of at least one item. While no reader waits, at most one item is taken from the stream. */
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

  /** Yields added items until the work is done. The work must not reject. */
  until(work: Promise<void>): AsyncGenerator<T[]> {
    const next = async (): Promise<IteratorResult<never>> => {
      await work
      return { done: true, value: undefined }
    }
    const stream = { [Symbol.asyncIterator]: () => ({ next }) }
    return this.of({ stream, read: () => [], isAwaited: false })
  }

  /** Resolves when there are items and no more come by themselves, or when the stream is over. */
  #come(): Promise<void> {
    return new Promise((resolve) => {
      // A named constant: V8 keeps a function that is assigned to a property until the heap is collected as a whole.
      const tell = () => {
        // A burst of `MANY` calls this twice: by the second call the reader waits for the next list.
        if (this.#tell !== tell) return
        this.#tell = undefined
        resolve()
      }
      this.#tell = tell
      if (this.#items.length > 0) this.#tellSoon()
    })
  }

  /** Wakes the reader when all promises that can settle now have settled. */
  #tellSoon(): void {
    const tell = this.#tell
    if (tell) process.nextTick(tell)
  }
}
