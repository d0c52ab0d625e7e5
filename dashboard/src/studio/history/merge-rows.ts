/** The loaded part of a history: from the newest checkpoint on, without gaps. */
import type { HistoryRow } from './history-page.ts'

export interface KnownHistory<Row extends { id: string } = HistoryRow> {
  /** Newest first. */
  rows: Row[]
  hasMore: boolean
}

/** Rows in a page of older ones. */
export const PAGE_SIZE = 100

/** Rows in the first request for new ones. */
const LOOK_SIZE = 5

export type ReadPage<Row extends { id: string }> = (page: {
  limit: number
  before?: string | undefined
}) => Promise<KnownHistory<Row>>

/** The first page; or, for a loaded history, its new rows. */
export async function refreshHistory<Row extends { id: string }>(
  known: KnownHistory<Row> | undefined,
  read: ReadPage<Row>,
  size = PAGE_SIZE,
): Promise<KnownHistory<Row>> {
  const first = known?.rows[0]
  if (!known || !first) return read({ limit: size })
  const found: Row[] = []
  let limit = LOOK_SIZE
  for (;;) {
    const page = await read({ limit, before: found.at(-1)?.id })
    found.push(...page.rows)
    const last = page.rows.at(-1)
    // Ids are in time order: a row as old as a known one is known.
    if (last && last.id <= first.id) return merge(known, found)
    // Other clients have changed the thread so much that no known row is left.
    if (!page.hasMore) return { rows: found, hasMore: false }
    limit = size
  }
}

/** The next page of older rows. */
export async function extendHistory<Row extends { id: string }>(
  known: KnownHistory<Row>,
  read: ReadPage<Row>,
  size = PAGE_SIZE,
): Promise<KnownHistory<Row>> {
  const page = await read({ limit: size, before: known.rows.at(-1)?.id })
  return { rows: [...known.rows, ...page.rows], hasMore: page.hasMore }
}

/** Unchanged rows stay the same objects, so that they are not rendered again. */
function merge<Row extends { id: string }>(
  known: KnownHistory<Row>,
  found: Row[],
): KnownHistory<Row> {
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
