/** Measures rates and durations. */

/** Work done per second by `clients` that each begin again when they are done, for `ms`. */
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

/** Does the work `times` times, by `clients` that each begin again when they are done. */
export async function repeatedBy(
  work: () => Promise<unknown>,
  { clients, times }: { clients: number; times: number },
): Promise<void> {
  let left = times
  const client = async () => {
    for (; left > 0; ) {
      left -= 1
      await work()
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
}

/** Milliseconds that the work takes; the median of `times` repetitions. */
export async function duration(work: () => Promise<unknown>, times = 1): Promise<number> {
  const timed = async () => {
    const from = performance.now()
    await work()
    return performance.now() - from
  }
  return quantile(await repeated(timed, times), 0.5)
}

/** The results of the work, repeated one after the other. */
export async function repeated<T>(work: () => Promise<T>, times: number): Promise<T[]> {
  const answers: T[] = []
  while (answers.length < times) answers.push(await work())
  return answers
}

/** The least value that a `share` of the values (above 0, at most 1) does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN
}
