/**
 * The tables of a database, from its own catalogue, so that no later table or column is forgotten. They are described
 * in a form that both databases share.
 */
import { AppError } from '../../core/errors.ts'
import type { Db, Dialect } from '../db/db.ts'
import { CONTENTS, type DatabaseKind } from './contents.ts'

/** Both databases store a `vector` as bytes, but different ones: here 32-bit floats, as in SQLite. */
type ColumnKind = 'integer' | 'real' | 'text' | 'bytes' | 'vector'

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
  numbered?: string | undefined
}

/** Reads one state of a database. */
type Reader = Pick<Db, 'all' | 'get' | 'dialect'>

export interface Place {
  reader: Reader
  /** One of PostgreSQL's; absent: the connection's own. */
  schema?: string | undefined
}

/** The table's name in statements: with the schema, if several are read through one connection. */
export function qualified({ schema }: Place, table: string): string {
  return schema === undefined ? table : `${schema}.${table}`
}

interface ColumnRow {
  table: string
  name: string
  type: string
  /** The place in the primary key, from 1; 0: it is not part of it. */
  place: number
}

const COLUMNS: Record<Dialect, string> = {
  sqlite: `
SELECT t.name AS "table", c.name AS name, c.type AS type, c.pk AS place
FROM pragma_table_list AS t, pragma_table_xinfo(t.name) AS c
WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
  AND CAST($1 AS TEXT) IS NULL
ORDER BY t.name, c.name`,
  postgres: `
SELECT t.relname AS "table", c.attname AS name, format_type(c.atttypid, c.atttypmod) AS type,
  coalesce(array_position(CAST(k.conkey AS INT[]), CAST(c.attnum AS INT)), 0) AS place
FROM pg_class AS t
JOIN pg_attribute AS c ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped
LEFT JOIN pg_constraint AS k ON k.conrelid = t.oid AND k.contype = 'p'
WHERE t.relkind IN ('r', 'p')
  AND t.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = coalesce($1, current_schema()))
ORDER BY t.relname COLLATE "C", c.attname COLLATE "C"`,
}

const KINDS: Readonly<Record<string, ColumnKind>> = {
  INTEGER: 'integer',
  REAL: 'real',
  TEXT: 'text',
  BLOB: 'bytes',
  bigint: 'integer',
  integer: 'integer',
  'double precision': 'real',
  text: 'text',
  bytea: 'bytes',
}

/**
 * Every table there is, by name. Throws `internal` for a column of a type that no migration uses, and for a table
 * without a key.
 */
export async function readTables(
  { reader, schema }: Place,
  kind: DatabaseKind,
): Promise<Map<string, Table>> {
  const rows = await reader.all<ColumnRow>(COLUMNS[reader.dialect], [schema ?? null])
  const byTable = Map.groupBy(rows, (row) => row.table)
  return new Map([...byTable].map(([name, columns]) => [name, tableOf(name, columns, kind)]))
}

function tableOf(name: string, rows: ColumnRow[], kind: DatabaseKind): Table {
  const columns = rows.map((row) => columnOf(row, kind))
  const key = rows
    .filter(({ place }) => place > 0)
    .toSorted((a, b) => a.place - b.place)
    .map((row) => row.name)
  if (key.length === 0) throw new AppError('internal', `The table ${name} has no primary key.`)
  const first = columns.find((column) => column.name === key[0])
  const numbered = key.length === 1 && first?.kind === 'integer' ? first.name : undefined
  return { name, columns, key, numbered }
}

function columnOf({ table, name, type }: ColumnRow, kind: DatabaseKind): Column {
  if (CONTENTS[kind].vectors.includes(`${table}.${name}`)) return { name, kind: 'vector' }
  const found = KINDS[type]
  if (found) return { name, kind: found }
  const what = `The column ${table}.${name} has the type ${type}, which Runyard does not use.`
  throw new AppError('internal', what)
}

/**
 * The tables to carry, in the order in which they are filled; those of one list as one. A table that `CONTENTS` does
 * not know comes last, but is carried. A table that an older version does not have yet is left out.
 */
export function inOrder(tables: ReadonlyMap<string, Table>, kind: DatabaseKind): Table[][] {
  const { carried, left } = CONTENTS[kind]
  const known = new Set([...carried.flat(), ...Object.keys(left)])
  const unknown = [...tables.keys()].filter((name) => !known.has(name)).map((name) => [name])
  return [...carried, ...unknown]
    .map((names) => names.map((name) => tables.get(name)).filter((table) => table !== undefined))
    .filter((group) => group.length > 0)
}
