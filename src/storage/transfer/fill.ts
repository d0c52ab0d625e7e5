/**
 * Fills an empty database with rows. Its progress is stored in the database itself, together with the rows: after a
 * kill, it goes on after the last stored row.
 */
import { AppError } from '../../core/errors.ts'
import type { Row, Table } from '../../core/picture.ts'
import type { Db, SqlValue } from '../db/db.ts'
import { insertStatements } from '../db/many-rows.ts'
import { clearHold, type Hold, setHold } from '../migrations/hold.ts'
import { JOURNAL } from './catalogue.ts'
import { type Batch, type Key, quoted } from './read.ts'
import { toDatabase } from './values.ts'

const CREATE_JOURNAL = `
CREATE TABLE IF NOT EXISTS ${JOURNAL} (
  name TEXT PRIMARY KEY,
  last_key TEXT,
  is_done INTEGER NOT NULL
);`

const NOTE = `
INSERT INTO ${JOURNAL} (name, last_key, is_done) VALUES ($1, $2, $3)
ON CONFLICT (name) DO UPDATE SET last_key = excluded.last_key, is_done = excluded.is_done`

const FIND = `SELECT last_key, is_done FROM ${JOURNAL} WHERE name = $1`

/** Reads the rows after a key, or all. */
type ReadRows = (table: Table, after: Key | undefined) => AsyncIterable<Batch>

/** From now on no Runyard starts on the database; `filled` ends that. Its tables must exist. */
export async function beginFilling(db: Db, hold: Hold): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.script(CREATE_JOURNAL)
    await setHold(tx, hold)
  }, [])
}

/** The database is complete: a Runyard may start on it. */
export async function filled(db: Db): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.script(`DROP TABLE IF EXISTS ${JOURNAL};`)
    await clearHold(tx)
  }, [])
}

/** Notes that a step is done, and a text about it. Its name must not be a table's. */
export async function noteStep(db: Db, step: string, text: string | null = null): Promise<void> {
  await db.run(NOTE, [step, text, 1])
}

/** The text of a step. `undefined`: it is not done, or has none. */
export async function textOf(db: Pick<Db, 'get'>, step: string): Promise<string | undefined> {
  return (await db.get<{ last_key: string | null }>(FIND, [step]))?.last_key ?? undefined
}

export async function isDone(db: Pick<Db, 'get'>, name: string): Promise<boolean> {
  const row = await db.get<{ is_done: number }>(FIND, [name])
  return row?.is_done === 1
}

/**
 * Fills the tables of a group, or what is missing of them. A group of several is filled in one transaction, since its
 * rows refer to each other. `onRows` gets the number of rows written.
 */
export async function fillGroup(
  db: Db,
  tables: readonly Table[],
  read: ReadRows,
  onRows: (count: number) => void = () => {},
): Promise<void> {
  const [only, ...others] = tables
  if (only && others.length === 0) return fillByBatches(db, only, read, onRows)
  if (await isDone(db, nameOf(tables))) return
  await once(db, { name: nameOf(tables), last: undefined, isDone: true }, async (tx) => {
    for (const table of tables) {
      for await (const { rows } of read(table, undefined)) {
        await insert(tx, table, rows)
        onRows(rows.length)
      }
    }
  })
}

async function fillByBatches(
  db: Db,
  table: Table,
  read: ReadRows,
  onRows: (count: number) => void,
): Promise<void> {
  const { name } = table
  const noted = await db.get<{ last_key: string | null; is_done: number }>(FIND, [name])
  if (noted?.is_done === 1) return
  const after = noted?.last_key ? (JSON.parse(noted.last_key) as SqlValue[]) : undefined
  for await (const { rows, last } of read(table, after)) {
    await once(db, { name, last, isDone: false }, (tx) => insert(tx, table, rows))
    onRows(rows.length)
  }
  await noteStep(db, name)
}

interface Note {
  name: string
  last: Key | undefined
  isDone: boolean
}

/** Writes and notes it, both or neither. If the result is lost, looks for the note. */
async function once(
  db: Db,
  { name, last, isDone: done }: Note,
  work: (tx: Db) => Promise<void>,
): Promise<void> {
  const key = last === undefined ? null : JSON.stringify(last)
  await db.transaction(
    async (tx) => {
      await tx.run(NOTE, [name, key, done ? 1 : 0])
      await work(tx)
    },
    [],
    async (tx) => {
      const noted = await tx.get<{ last_key: string | null }>(FIND + tx.rowLocks.wait, [name])
      return noted !== undefined && noted.last_key === key
    },
  )
}

async function insert(tx: Db, table: Table, rows: readonly Row[]): Promise<void> {
  const { name, columns } = table
  const names = columns.map((column) => quoted(column.name))
  const values = rows.map((row) =>
    columns.map((column, index) => toDatabase(tx.dialect, column, row[index] ?? null)),
  )
  if (tx.dialect === 'postgres') refuseNul(table, rows)
  await tx.batch(insertStatements(name, names, values))
}

/** SQLite keeps it, PostgreSQL cannot. */
function refuseNul({ name, columns, key }: Table, rows: readonly Row[]): void {
  for (const row of rows) {
    const at = row.findIndex((value) => typeof value === 'string' && value.includes('\0'))
    if (at === -1) continue
    const which = key.map((one) => row[columns.findIndex((column) => column.name === one)])
    throw new AppError(
      'conflict',
      `The row ${JSON.stringify(which)} of ${name} holds the character U+0000 in ${columns[at]?.name}, which PostgreSQL cannot keep: remove it, then run this again.`,
    )
  }
}

function nameOf(tables: readonly Table[]): string {
  return tables.map(({ name }) => name).join(' ')
}
