/** Removes many rows bit by bit: one transaction for all would keep other work waiting, on SQLite the whole server. */
import { setImmediate as turn } from 'node:timers/promises'

/** What one transaction has done. */
export interface Batch {
  /** How many of the counted rows. */
  removed: number
  /** No rows are left for another batch. */
  isLast: boolean
}

/**
 * Repeats `removeSome` until nothing is left, or once more at most when `signal` aborts, with a turn of the event loop
 * between. Returns how many were removed.
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
