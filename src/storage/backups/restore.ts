/**
 * Fills empty databases with a backup that was verified. While it runs, and after it was killed, no Runyard starts on
 * them; the next restore removes what is there and begins again.
 */
import { randomUUID } from 'node:crypto'
import { AppError } from '../../core/errors.ts'
import type { DatabaseKind } from '../../core/picture.ts'
import type { Db } from '../db/db.ts'
import { type Hold, readHold } from '../migrations/hold.ts'
import { type Migration, migrate, refuseUnknown } from '../migrations/migrate.ts'
import { inOrder, readTables } from '../transfer/catalogue.ts'
import { setLastNumber } from '../transfer/counters.ts'
import { beginFilling, filled, fillGroup } from '../transfer/fill.ts'
import { sumTable } from '../transfer/read.ts'
import {
  dropMember,
  firstOf,
  type Member,
  membersOf,
  type Side,
  stateOf,
  using,
} from '../transfer/side.ts'
import type { Manifest, Tables } from './format.ts'
import { type Content, type FileContent, readContent, type Verified } from './read.ts'

interface RestoreParts {
  target: Side
  migrations: Readonly<Record<DatabaseKind, readonly Migration[]>>
  backup: Verified
  /** The same archive once more. */
  archive: AsyncIterable<Uint8Array>
  /** Takes the files beside the databases. */
  takeFile(file: FileContent): Promise<void>
  onProgress: (progress: RestoreProgress) => void
}

type RestoreProgress =
  | { step: 'restore' | 'verify'; member: string }
  | { step: 'rows'; count: number }

const ID_PREFIX = 'restore-'
const RELEASE = "UPDATE runs SET lease_expires_at = 0 WHERE status = 'running'"

/** Whether the target holds an unfinished restore. */
export async function isUnfinished(target: Side): Promise<boolean> {
  const { hold } = await stateOf(target, firstOf(target))
  return isOfRestore(hold)
}

/** Throws `conflict` when the target has content, and when the backup has a schema that these migrations do not lead through. */
export async function checkTarget(
  target: Side,
  { databases }: Verified,
  migrations: RestoreParts['migrations'],
): Promise<void> {
  for (const { kind, version, name } of databases) {
    refuseUnknown(`The backup's database of "${name}"`, version, migrations[kind])
  }
  for (const member of databases) {
    const { hold, isEmpty } = await stateOf(target, member)
    if (isOfRestore(hold) || (isEmpty && !hold)) continue
    const what = `${target.name} is not empty: it has a database of "${member.name}". Restore into an empty data folder, or an empty database.`
    throw new AppError('conflict', what)
  }
}

export async function restoreBackup(parts: RestoreParts): Promise<void> {
  const { target, backup, archive, onProgress } = parts
  await removeUnfinished(target, backup)
  const id = `${ID_PREFIX}${randomUUID()}`
  const message = 'This is a restore that was not ended: run the same "runyard restore" again.'
  const hold: Hold = { reason: 'filling', id, message }
  const contents = new Contents(readContent(archive))
  for (const tables of backup.databases) await begin(parts, tables, hold)
  for (const tables of backup.databases) {
    onProgress({ step: 'restore', member: tables.name })
    await using(target, tables, (db) => fill(db, tables, contents, onProgress))
  }
  for await (const file of contents.files()) await parts.takeFile(file)
  for (const tables of backup.databases) {
    onProgress({ step: 'verify', member: tables.name })
    await using(target, tables, (db) => compare(db, tables, backup.manifest))
  }
  const [first, ...others] = backup.databases
  for (const member of backup.databases) await using(target, member, (db) => release(db, member))
  for (const member of others) await using(target, member, filled)
  if (first) await using(target, first, filled)
}

/** No server here holds a run: the first server takes up at once the runs that were executing. */
async function release(db: Db, { kind }: Member): Promise<void> {
  if (kind === 'agent-server') await db.run(RELEASE)
}

async function removeUnfinished(target: Side, { databases }: Verified): Promise<void> {
  const own = (await isUnfinished(target)) ? await membersOf(target) : []
  const all = new Map<string, Member>([...databases, ...own].map((one) => [one.id, one]))
  // The first is removed last: while it exists, the next restore after a kill knows of the others.
  for (const member of [...all.values()].reverse()) {
    const { hold } = await stateOf(target, member)
    if (isOfRestore(hold)) await dropMember(target, member)
  }
}

function isOfRestore(hold: Hold | undefined): boolean {
  return hold?.reason === 'filling' && hold.id.startsWith(ID_PREFIX)
}

/** Creates the tables as the backup's Runyard had them. The next start migrates them. */
async function begin(
  { target, migrations }: RestoreParts,
  tables: Tables,
  hold: Hold,
): Promise<void> {
  await using(target, tables, async (db) => {
    const steps = migrations[tables.kind].filter(({ version }) => version <= tables.version)
    await migrate(db, steps)
    await beginFilling(db, hold)
    const place = { reader: db, schema: undefined }
    const there = inOrder(await readTables(place, tables.kind), tables.kind)
    const wanted = tables.groups.map((group) => group.map(({ last_number: _, ...table }) => table))
    if (JSON.stringify(shapeOf(there)) === JSON.stringify(shapeOf(wanted))) return
    const what = `The backup's database of "${tables.name}" does not have the tables of its version ${tables.version}.`
    throw new AppError('bad_request', what)
  })
}

function shapeOf(groups: readonly (readonly { name: string; columns: unknown; key: unknown }[])[]) {
  return groups.map((group) => group.map(({ name, columns, key }) => ({ name, columns, key })))
}

async function fill(
  db: Db,
  tables: Tables,
  contents: Contents,
  onProgress: RestoreParts['onProgress'],
): Promise<void> {
  const read = (table: { name: string }) => contents.rowsOf(tables.id, table.name)
  for (const group of tables.groups) {
    const own = group.map(({ last_number: _, ...table }) => ({
      ...table,
      numbered: table.numbered,
    }))
    await fillGroup(db, own, read, (count) => onProgress({ step: 'rows', count }))
    for (const [index, table] of own.entries()) {
      await setLastNumber(db, table, group[index]?.last_number ?? 0)
    }
  }
}

/** Throws `internal` when the database does not hold what the backup holds. */
async function compare(db: Db, { id, name, groups }: Tables, manifest: Manifest): Promise<void> {
  if (!(await readHold(db))) throw new AppError('conflict', `Somebody else works on "${name}".`)
  const wanted = manifest.databases.find((database) => database.id === id)?.tables ?? []
  for (const [index, table] of groups.flat().entries()) {
    const sum = await sumTable({ reader: db, schema: undefined }, { ...table, numbered: undefined })
    const { rows, digest } = wanted[index] ?? {}
    if (sum.rows === rows && sum.digest === digest) continue
    throw new AppError(
      'internal',
      `The table ${table.name} of "${name}" was not restored as it was.`,
    )
  }
}

/** The contents in the order of the archive. Callers have to ask in that order. */
class Contents {
  readonly #contents: AsyncIterator<Content>
  #next: Content | undefined

  constructor(contents: AsyncIterable<Content>) {
    this.#contents = contents[Symbol.asyncIterator]()
  }

  /** The batches of one table, which come next. */
  async *rowsOf(database: string, table: string) {
    for (let n = 1; ; ) {
      const next = await this.#peek()
      if (next?.kind === 'head' || next?.kind === 'tables') this.#next = undefined
      else if (next?.kind === 'rows' && next.database === database && next.table.name === table) {
        this.#next = undefined
        // A killed restore begins again, so no caller reads on from `last`. It only has to differ between batches.
        yield { rows: next.rows, last: [n] }
        n += 1
      } else return
    }
  }

  async *files() {
    for (let next = await this.#peek(); next; next = await this.#peek()) {
      if (next.kind === 'rows' || next.kind === 'manifest') return
      this.#next = undefined
      if (next.kind === 'file') yield next
    }
  }

  async #peek(): Promise<Content | undefined> {
    if (this.#next) return this.#next
    const { value, done } = await this.#contents.next()
    this.#next = done ? undefined : value
    return this.#next
  }
}
