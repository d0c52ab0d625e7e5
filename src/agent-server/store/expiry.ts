/** The end of items. */
import type { ItemStore } from '../../core/agent/item.ts'

/** So many are removed in one step. */
const STEP = 1_000

/** Removes what has outlived its time at `now`, in ms since 1970. Answers how many. */
export async function removeExpiredItems(items: ItemStore, now: number): Promise<number> {
  let removed = 0
  for (;;) {
    const step = await items.expire(now, STEP)
    removed += step
    if (step < STEP) return removed
  }
}
