/**
 * Fills an empty side with everything of an installation: what `move`, which reads it from another side, and `restore`,
 * which reads it from a backup, have in common.
 *
 * 1. What a killed carrying has left is removed: it begins again.
 * 2. Each database is created with the tables of its version, held as `filling`, and filled.
 * 3. Every table is read again, and compared with where it came from.
 * 4. The first database is held as `filled`: from here on, the next call only does the rest.
 * 5. The other databases are opened, and at last the first. Until then no Runyard starts.
 */
import { AppError } from '../../core/errors.ts'
import type { Db } from '../db/db.ts'
import { insertStatements } from '../db/many-rows.ts'
import { clearHold, type Hold, setHold } from '../migrations/hold.ts'
import { type Migration, migrate, refuseUnknown } from '../migrations/migrate.ts'
import type { DatabaseKind } from './contents.ts'
import { setLastNumber } from './counters.ts'
import { quoted, sumTable } from './read-table.ts'
import { type Row, type TableSum, toDatabase } from './rows.ts'
import {
  type Content,
  dropMember,
  firstOf,
  type Member,
  membersOf,
  once,
  type Side,
  stateOf,
  type Tables,
  using,
} from './side.ts'
import { inOrder, readTables, type Table } from './tables.ts'

/** Shows how far the work is. */
export interface Progress {
  step(name: string): void
  /** Begins a table; `total`: its number of rows, if known. */
  table(name: string, total?: number): void
  rows(count: number): void
}

export type Migrations = Readonly<Record<DatabaseKind, readonly Migration[]>>

interface TargetParts {
  target: Side
  databases: readonly Tables[]
  migrations: Migrations
  /** Names this carrying. */
  id: string
  /** Whether a database of the target that is held like this may be removed. */
  mayRemove(hold: Hold): boolean
}

/**
 * Removes what an earlier carrying has left at the target. Returns whether the one with this id has `filled` it
 * already. Throws `conflict`, and removes nothing, if the target has other content, and if a database has a schema that
 * these migrations do not lead through.
 */
export async function prepareTarget(parts: TargetParts): Promise<boolean> {
  const { target, databases, migrations, id, mayRemove } = parts
  for (const { kind, name, version } of databases) {
    refuseUnknown(`The database of "${name}"`, version, migrations[kind])
  }
  const { hold: held } = await stateOf(target, firstOf(target))
  if (held?.reason === 'filled' && held.id === id) return true
  const own = held ? await membersOf(target) : []
  const all = new Map<string, Member>([...databases, ...own].map((one) => [one.id, one]))
  const removed: Member[] = []
  for (const member of all.values()) {
    const { hold, isEmpty } = await stateOf(target, member)
    if (hold && mayRemove(hold)) removed.push(member)
    else if (hold || !isEmpty) throw notEmpty(target, member, hold)
  }
  // The first is removed last: while it exists, the next call after a kill knows of the others.
  for (const member of removed.reverse()) await dropMember(target, member)
  return false
}

function notEmpty(target: Side, { name }: Member, hold?: Hold): AppError {
  const what = `${target.name} is not empty: it has a database of "${name}"`
  if (!hold) return new AppError('conflict', `${what}. Choose another place, or empty it first.`)
  const which =
    hold.reason === 'left' ? 'that was moved away from there' : 'of another, unfinished command'
  return new AppError('conflict', `${what} ${which}. "runyard move --replace" removes it first.`)
}

interface CarryParts extends Pick<TargetParts, 'target' | 'databases' | 'migrations'> {
  /** As `prepareTarget` returned it. */
  isFilled: boolean
  /** Of the `databases`, in their order. */
  contents: Iterable<Content> | AsyncIterable<Content>
  /** Calls `work` with the sums of the tables where they come from. */
  withSums(database: Tables, work: (sumOf: SumOf) => Promise<void>): Promise<void>
  hold: Omit<Hold, 'reason'>
  /** The verb for the progress. */
  filling: 'copying' | 'restoring'
  progress: Progress
  /** Called when the target is complete, before its first database is opened. */
  onFilled?(): Promise<void>
}

type SumOf = (table: Table) => Promise<TableSum>

/** The target must be prepared. Throws `conflict` at the first table that is not the same afterwards. */
export async function carry(parts: CarryParts): Promise<void> {
  const { target, databases, contents, isFilled, hold, progress } = parts
  if (!isFilled) {
    for await (const content of contents) {
      progress.step(`${parts.filling} ${content.name}`)
      await using(target, content, (db) => fill(db, content, parts))
    }
    for (const database of databases) {
      progress.step(`comparing ${database.name}`)
      await parts.withSums(database, (sumOf) =>
        using(target, database, (db) => compare(db, database, sumOf, progress)),
      )
    }
  }
  progress.step('finishing')
  const [first, ...others] = databases
  if (!first) return
  await using(target, first, (db) => setHold(db, { reason: 'filled', ...hold }))
  for (const database of others) await using(target, database, (db) => open(db, database))
  await parts.onFilled?.()
  await using(target, first, (db) => open(db, first))
}

async function fill(db: Db, content: Content, parts: CarryParts): Promise<void> {
  await create(db, content, parts)
  for (const group of content.groups) {
    await fillGroup(db, group, content, parts.progress)
    for (const table of group) await setLastNumber(db, table)
  }
}

/** Creates the tables as their Runyard had them. The next start migrates them. */
async function create(
  db: Db,
  { kind, name, version, groups }: Tables,
  { migrations, hold }: CarryParts,
): Promise<void> {
  await db.transaction(
    async (tx) => {
      await migrate(
        tx,
        migrations[kind].filter((step) => step.version <= version),
      )
      await setHold(tx, { reason: 'filling', ...hold })
    },
    ['schema'],
  )
  const found = inOrder(await readTables({ reader: db }, kind), kind)
  if (JSON.stringify(shapeOf(found)) === JSON.stringify(shapeOf(groups))) return
  const what = `The database of "${name}" does not have the tables of its version ${version}.`
  throw new AppError('bad_request', what)
}

function shapeOf(groups: readonly (readonly Table[])[]) {
  return groups.map((group) => group.map(({ name, columns, key }) => ({ name, columns, key })))
}

/** Tables of one group refer to each other, so they are filled in one transaction. */
export async function fillGroup(
  db: Db,
  group: readonly Table[],
  { count, rows: read }: Pick<Content, 'count' | 'rows'>,
  progress: Progress,
): Promise<void> {
  const fillTable = async (table: Table, write: (rows: readonly Row[]) => Promise<void>) => {
    progress.table(table.name, await count?.(table))
    for await (const rows of read(table)) {
      await write(rows)
      progress.rows(rows.length)
    }
  }
  const [only, ...others] = group
  if (only && others.length === 0) {
    await fillTable(only, (rows) => db.transaction((tx) => insert(tx, only, rows), []))
    return
  }
  const fillAll = async (tx: Db) => {
    for (const table of group) await fillTable(table, (rows) => insert(tx, table, rows))
  }
  await db.transaction(once(fillAll), [])
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

async function compare(
  db: Db,
  { name, groups }: Tables,
  sumOf: SumOf,
  progress: Progress,
): Promise<void> {
  for (const table of groups.flat()) {
    progress.table(table.name)
    const [there, here] = await Promise.all([
      sumTable({ reader: db }, table, progress.rows),
      sumOf(table),
    ])
    if (here.rows === there.rows && here.digest === there.digest) continue
    throw new AppError(
      'conflict',
      `The table ${table.name} of "${name}" is not the same on both sides (${here.rows} and ${there.rows} rows): another program has written to one of them since this began. Nothing uses the target yet. Stop that program, then run the same command again.`,
    )
  }
}

const RELEASE = "UPDATE runs SET lease_expires_at = 0 WHERE status = 'running'"

/** No server here holds a run: the first server takes up at once the runs that were executing. */
async function open(db: Db, { kind }: Member): Promise<void> {
  if (kind === 'agent-server') await db.run(RELEASE)
  await clearHold(db)
}
