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
const ROWS_AT_ONCE = 100
/** Folding and parsing them takes about 7 ms. */
const BYTES_AT_ONCE = 1024 ** 2

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
  const looked = rows.slice(0, count)
  const found = new Set<string>()
  for (const { ids, bytes } of partsOf(looked, ROWS_AT_ONCE)) {
    onBytes?.(bytes)
    for (const id of await findIn(ids)) found.add(id)
    await turn()
  }
  const ids = looked.map(({ id }) => id).filter((id) => found.has(id))
  return { ids, ...(count < rows.length && { lookedAt: count }) }
}

/** The rows in parts that are read at once: each has at most 1 MiB and `most` rows, or one row. */
export function partsOf(
  rows: readonly SizedRow[],
  most = rows.length,
): { ids: string[]; bytes: number }[] {
  const parts: { ids: string[]; bytes: number }[] = []
  for (let at = 0; at < rows.length; ) {
    const { count, bytes } = fitting(rows.slice(at, at + most), BYTES_AT_ONCE)
    parts.push({ ids: rows.slice(at, at + count).map(({ id }) => id), bytes })
    at += count
  }
  return parts
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
