/** Much that is removed bit by bit: a transaction for all of it would keep others waiting, on SQLite the whole server. */
import { setImmediate as turn } from 'node:timers/promises'

/** What one transaction has done. */
export interface Batch {
  /** How many rows of what is counted. */
  removed: number
  /** Nothing was left for another one. */
  isLast: boolean
}

/**
 * Repeats `removeSome` until nothing is left, or once more at most when `signal` aborts, with a turn of the event loop
 * between. Answers how many were removed.
 */
export async function inBatches(
  removeSome: () => Promise<Batch>,
  signal?: AbortSignal,
): Promise<number> {
  let all = 0
  for (;;) {
    const { removed, isLast } = await removeSome()
    all += removed
    if (isLast || signal?.aborted) return all
    await turn()
  }
}
