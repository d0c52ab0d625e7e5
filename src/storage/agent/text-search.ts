/**
 * A search for a text in stored JSON. It reads a bounded number of rows and bytes, in parts: other work of the event loop
 * goes on between two parts.
 */
import { setImmediate as turn } from 'node:timers/promises'

/** A row that may be read, and the bytes of its columns that may be large. */
export interface SizedRow {
  id: string
  bytes: number
}

const LOOKED_AT = { rows: 1_000, bytes: 16 * 1024 ** 2 }
/** A part has no more than this, or one row. Folding and parsing 1 MiB takes about 7 ms. */
const AT_ONCE = { rows: 100, bytes: 1024 ** 2 }

/** How many rows `lookThrough` needs: one more than it reads. */
export const LISTED_ROWS = LOOKED_AT.rows + 1

/**
 * The ids of the rows that have the text, in their order. `findIn` returns those among the given ids. `onBytes` gets the
 * size of each part before it is read; throwing there ends the search. `lookedAt`: the search ended after so many rows,
 * and there are more.
 */
export async function lookThrough(
  rows: readonly SizedRow[],
  findIn: (ids: string[]) => Promise<string[]>,
  onBytes?: (bytes: number) => void,
): Promise<{ ids: string[]; lookedAt?: number }> {
  const { count } = fitting(rows.slice(0, LOOKED_AT.rows), LOOKED_AT.bytes)
  const looked = rows.slice(0, count).map(({ id }) => id)
  const found = new Set<string>()
  for (let at = 0; at < count; ) {
    const part = fitting(rows.slice(at, Math.min(at + AT_ONCE.rows, count)), AT_ONCE.bytes)
    onBytes?.(part.bytes)
    for (const id of await findIn(looked.slice(at, at + part.count))) found.add(id)
    at += part.count
    await turn()
  }
  const ids = looked.filter((id) => found.has(id))
  return { ids, ...(count < rows.length && { lookedAt: count }) }
}

/** How many of the first rows fit, and their bytes; at least one. */
export function fitting(
  rows: readonly SizedRow[],
  maxBytes: number,
): { count: number; bytes: number } {
  let bytes = 0
  for (const [place, row] of rows.entries()) {
    if (place > 0 && bytes + Number(row.bytes) > maxBytes) return { count: place, bytes }
    bytes += Number(row.bytes)
  }
  return { count: rows.length, bytes }
}
