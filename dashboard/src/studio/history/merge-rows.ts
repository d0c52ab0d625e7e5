/** A history that is known in part: what was loaded so far, without gaps, from the newest on. */
import type { HistoryPage, HistoryRow } from './history-page.ts'

export interface KnownHistory {
  /** Newest first. */
  rows: HistoryRow[]
  hasMore: boolean
}

/** How many rows a page of older ones has. */
export const PAGE_SIZE = 100

/** How many are asked for first when something new is looked for. */
const LOOK_SIZE = 5

type Read = (page: { limit: number; before?: string | undefined }) => Promise<HistoryPage>

/** The first page; or with a history that is known, what is new to it. */
export async function refreshHistory(
  known: KnownHistory | undefined,
  read: Read,
): Promise<KnownHistory> {
  const first = known?.rows[0]
  if (!known || !first) return read({ limit: PAGE_SIZE })
  const found: HistoryRow[] = []
  let limit = LOOK_SIZE
  for (;;) {
    const page = await read({ limit, before: found.at(-1)?.id })
    found.push(...page.rows)
    const last = page.rows.at(-1)
    // Ids are in the order of time: what is as old as a known one is known.
    if (last && last.id <= first.id) return merge(known, found)
    // The thread was changed by others so much that nothing known is in it.
    if (!page.hasMore) return { rows: found, hasMore: false }
    limit = PAGE_SIZE
  }
}

/** The next older page behind what is known. */
export async function extendHistory(known: KnownHistory, read: Read): Promise<KnownHistory> {
  const page = await read({ limit: PAGE_SIZE, before: known.rows.at(-1)?.id })
  return { rows: [...known.rows, ...page.rows], hasMore: page.hasMore }
}

/** Rows that did not change stay the same objects, so that nothing is drawn anew for them. */
function merge(known: KnownHistory, found: HistoryRow[]): KnownHistory {
  const before = new Map(known.rows.map((row) => [row.id, row]))
  const fresh = found.map((row) => {
    const old = before.get(row.id)
    return old && JSON.stringify(old) === JSON.stringify(row) ? old : row
  })
  const last = fresh.at(-1)
  const older = last ? known.rows.filter((row) => row.id < last.id) : known.rows
  const rows = [...fresh, ...older]
  const isSame =
    rows.length === known.rows.length && rows.every((row, place) => row === known.rows[place])
  return isSame ? known : { rows, hasMore: known.hasMore }
}
