/**
 * The content of an installation's databases as rows, independent of the database: `runyard move` and `runyard backup`
 * carry it from one place to another.
 */

/** The migrations that a database has. */
export const DATABASE_KINDS = ['control-plane', 'agent-server'] as const
export type DatabaseKind = (typeof DATABASE_KINDS)[number]

/** Both databases store a `vector` as bytes, but different ones: here 32-bit floats, as in SQLite. */
export type ColumnKind = 'integer' | 'real' | 'text' | 'bytes' | 'vector'

export interface Column {
  name: string
  kind: ColumnKind
}

export interface Table {
  name: string
  /** Sorted by name: the databases may have them in different orders. */
  columns: readonly Column[]
  /** The columns of the primary key, in its order. */
  key: readonly string[]
  /** The automatically numbered column, if there is one. */
  numbered: string | undefined
}

/** In the order of the table's columns. An integer is safe, a text well-formed. */
export type Row = readonly Value[]
export type Value = string | number | Uint8Array | null

/** A checksum for comparing the content of two tables. */
export interface TableSum {
  rows: number
  /** Over the rows in any order, in hexadecimal. */
  digest: string
}
