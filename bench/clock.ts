/** How fast, and how long. */

/** Work done a second by `clients` that each begin again when they are done, for `ms`. */
export async function rate(
  work: () => Promise<unknown>,
  { clients, ms }: { clients: number; ms: number },
): Promise<number> {
  let done = 0
  const from = performance.now()
  const client = async () => {
    while (performance.now() - from < ms) {
      await work()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return done / ((performance.now() - from) / 1000)
}

/** Milliseconds that the work takes; of several times one after the other, the median. */
export async function duration(work: () => Promise<unknown>, times = 1): Promise<number> {
  const taken: number[] = []
  for (let i = 0; i < times; i++) {
    const from = performance.now()
    await work()
    taken.push(performance.now() - from)
  }
  return taken.toSorted((a, b) => a - b)[Math.floor(taken.length / 2)] ?? 0
}
