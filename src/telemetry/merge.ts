/** Merges sorted streams into one. */

export interface SortedStream<T> {
  /** Not greater than any value of the stream. The stream is opened only when it is needed. */
  bound: number
  open(): AsyncGenerator<T>
}

export interface MergeOrder<T> {
  compare(a: T, b: T): number
  /** The position of a value among the bounds. */
  boundOf(value: T): number
  compareBounds(a: number, b: number): number
}

/** All values in order. Only as many streams are open at a time as overlap. */
export async function* mergeSorted<T>(
  streams: readonly SortedStream<T>[],
  order: MergeOrder<T>,
): AsyncGenerator<T> {
  const waiting = streams.toSorted((a, b) => order.compareBounds(a.bound, b.bound))
  const open: { value: T; rest: AsyncGenerator<T> }[] = []
  const take = async (rest: AsyncGenerator<T>) => {
    const step = await rest.next()
    if (!step.done) open.push({ value: step.value, rest })
  }
  try {
    for (;;) {
      open.sort((a, b) => order.compare(a.value, b.value))
      const first = open[0]
      const next = waiting[0]
      if (next && (!first || order.compareBounds(next.bound, order.boundOf(first.value)) <= 0)) {
        waiting.shift()
        await take(next.open())
      } else if (first) {
        open.shift()
        // Puts it back among the open ones first, so that it is closed whatever happens.
        open.push(first)
        yield first.value
        open.pop()
        await take(first.rest)
      } else return
    }
  } finally {
    await Promise.all(open.map(({ rest }) => rest.return(undefined)))
  }
}
