/**
 * The content of an installation's databases as rows, whichever database holds them: what `runyard move`
 * and `runyard backup` carry from one place to another.
 */

/** Whose migrations a database has. */
export const DATABASE_KINDS = ['control-plane', 'agent-server'] as const
export type DatabaseKind = (typeof DATABASE_KINDS)[number]

/** `vector` is bytes in either database, but not the same ones: here 32-bit floats, as SQLite has them. */
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
  /** The column that numbers the rows by itself, if there is one. */
  numbered: string | undefined
}

/** In the order of the table's columns. An integer is safe, a text well-formed. */
export type Row = readonly Value[]
export type Value = string | number | Uint8Array | null

/** What tells whether two tables have the same content. */
export interface TableSum {
  rows: number
  /** Over the rows in any order, in hexadecimal. */
  digest: string
}
