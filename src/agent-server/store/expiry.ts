/** Removes expired items. */
import type { ItemStore } from '../../core/agent/items/item.ts'

/** How many items are removed in one step. */
const STEP = 1_000

/** Removes the items that have expired at `now`, in ms since 1970. Returns their number. */
export async function removeExpiredItems(items: ItemStore, now: number): Promise<number> {
  let removed = 0
  for (;;) {
    const step = await items.expire(now, STEP)
    removed += step
    if (step < STEP) return removed
  }
}
