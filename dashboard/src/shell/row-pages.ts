/** Pages of the rows of several servers. */

/** How many rows a server returns at once. */
const MOST_ROWS = 1_000

/** What to read from each server. */
export interface Ask {
  limit: number
  offset: number
}

/**
 * A page of the rows of several servers. `ask`: what to read from each, one row more than the page ends with. A single
 * server returns just the page; of several, each returns all its rows up to the page's end.
 */
export function pageOf(servers: readonly unknown[], page: number, size: number) {
  const isOnly = servers.length === 1
  const skip = isOnly ? 0 : page * size
  const end = skip + size
  const hasRoom = isOnly || end + size < MOST_ROWS
  const ask: Ask = { limit: Math.min(end + 1, MOST_ROWS), offset: isOnly ? page * size : 0 }
  return {
    ask,
    of: <T>(rows: readonly T[]) => ({
      rows: rows.slice(skip, end),
      hasMore: hasRoom && rows.length > end,
    }),
  }
}
