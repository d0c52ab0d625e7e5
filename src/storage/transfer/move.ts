/**
 * Moves an installation's databases from one side to another. After a kill, the next call goes on:
 *
 * 1. every database of the source is held as `leaving`, every one of the target as `filling`: no Runyard
 *    starts on either. These notes, with the move's id, are the only record of the move.
 * 2. the rows are copied, database by database (`fill.ts`)
 * 3. every table is read on both sides and compared
 * 4. the target's first database notes that all is well; the other ones are opened for use
 * 5. the source is held as `left`; at last the target's first database is opened for use
 */
import { randomUUID } from 'node:crypto'
import { AppError } from '../../core/errors.ts'
import type { DatabaseKind, Table, TableSum } from '../../core/picture.ts'
import type { Db } from '../db/db.ts'
import { clearHold, type Hold, readHold, setHold } from '../migrations/hold.ts'
import { type Migration, migrate } from '../migrations/migrate.ts'
import { inOrder, readTables } from './catalogue.ts'
import { lastNumber, setLastNumber } from './counters.ts'
import { beginFilling, filled, fillGroup, isDone, noteStep, textOf } from './fill.ts'
import { countRows, readBatches, sumTable } from './read.ts'
import { dropMember, firstOf, type Member, membersOf, type Side, stateOf, using } from './side.ts'

interface MoveParts {
  source: Side
  target: Side
  migrations: Readonly<Record<DatabaseKind, readonly Migration[]>>
  onProgress: (progress: MoveProgress) => void
}

export type MoveProgress =
  | { step: 'begin'; databases: number; isResumed: boolean }
  /** A table, with the number of its rows. */
  | { step: 'copy' | 'verify'; member: string; table: string; total: number }
  | { step: 'rows'; count: number }
  | { step: 'finish' }

export interface Moved {
  databases: number
  tables: number
  rows: number
}

/** The step after which the target's content is known to be right. */
const VERIFIED = '= verified'

/**
 * Throws `conflict` when there is nothing to move, when the target has content of its own, and when the source was
 * written to meanwhile. No server may use either side.
 */
export async function move(parts: MoveParts): Promise<Moved> {
  const { source, target, onProgress } = parts
  const members = await membersOf(source)
  const { id, isResumed, isEnding } = await findMove(parts, members)
  onProgress({ step: 'begin', databases: members.length, isResumed })
  if (!isEnding) {
    await holdAll(parts, members, id)
    for (const member of members) await copyMember(parts, member)
    await noteMoved(target, await compareAll(parts, members))
  }
  onProgress({ step: 'finish' })
  const moved = await readMoved(target)
  await finish(parts, members, id)
  return { databases: members.length, ...moved }
}

/** Makes the source usable again, after a move that will not be completed or is not wanted any more. */
export async function takeBack(source: Side): Promise<number> {
  let count = 0
  for (const member of await membersOf(source)) {
    await using(source, member, async (db) => {
      const hold = await readHold(db)
      if (!hold || hold.reason === 'filling') return
      await clearHold(db)
      count += 1
    })
  }
  return count
}

/**
 * Removes what an unfinished move to the target, or a move away from it, has left there. Throws `conflict`, and removes
 * nothing, if the target holds anything else.
 */
export async function clearTarget(source: Side, target: Side): Promise<void> {
  const own = (await stateOf(target, firstOf(target))).hold ? await membersOf(target) : []
  const all = new Map([...(await membersOf(source)), ...own].map((one) => [one.id, one]))
  const removed: Member[] = []
  for (const member of all.values()) {
    const { hold, isEmpty } = await stateOf(target, member)
    if (hold && hold.reason !== 'leaving') removed.push(member)
    else if (!isEmpty) throw notEmpty(target, member)
  }
  // The first is removed last: while it exists, the next call after a kill knows of the others.
  for (const member of removed.reverse()) await dropMember(target, member)
}

/** The id of the move that was begun before, or of a new one. */
async function findMove({ source, target }: MoveParts, members: readonly Member[]) {
  const [first] = members
  if (!first) throw new AppError('conflict', `There is nothing to move on ${source.name}.`)
  const { hold } = await stateOf(source, first)
  const there = await stateOf(target, first)
  const isEnding = hold !== undefined && there.hold?.id === hold.id && (await isVerified(target))
  if (hold?.reason === 'filling' || (hold?.reason === 'left' && !isEnding)) {
    throw new AppError('conflict', hold.message)
  }
  for (const member of isEnding ? [] : members) {
    const state = await stateOf(target, member)
    const isOther = state.hold !== undefined && state.hold.id !== hold?.id
    if (isOther || (!state.hold && !state.isEmpty)) throw notEmpty(target, member, state.hold)
  }
  return { id: hold?.id ?? randomUUID(), isResumed: hold !== undefined, isEnding }
}

function notEmpty(target: Side, { name }: Member, hold?: Hold): AppError {
  const what = `The target ${target.name} is not empty: it has a database of "${name}"`
  if (!hold) return new AppError('conflict', `${what}. Name another one, or empty it first.`)
  const which =
    hold.reason === 'left' ? 'that was moved away from there' : 'of another, unfinished move'
  return new AppError('conflict', `${what} ${which}. With --replace it is removed first.`)
}

/** For a target that is held. */
function isVerified(target: Side): Promise<boolean> {
  return using(target, firstOf(target), (db) => isDone(db, VERIFIED))
}

/** Brings both sides to this version, and lets no Runyard start on them. */
async function holdAll(
  { source, target, migrations }: MoveParts,
  members: readonly Member[],
  id: string,
): Promise<void> {
  for (const member of members) {
    const steps = migrations[member.kind]
    const leaving = `This installation is being moved from ${source.name} to ${target.name}: run the same "runyard move" again to end that, or "runyard move --undo" to stay here.`
    const filling = `This is the unfinished target of a move from ${source.name}: run the same "runyard move" again.`
    await using(source, member, async (db) => {
      if (await isHeld(db)) return
      await migrate(db, steps)
      await setHold(db, { reason: 'leaving', id, message: leaving })
    })
    await using(target, member, async (db) => {
      if (await isHeld(db)) return
      await migrate(db, steps)
      await beginFilling(db, { reason: 'filling', id, message: filling })
    })
  }
}

async function isHeld(db: Db): Promise<boolean> {
  const tables = await readTables({ reader: db, schema: undefined }, 'control-plane')
  return tables.has('schema_migrations') && (await readHold(db)) !== undefined
}

async function copyMember(parts: MoveParts, member: Member): Promise<void> {
  const { source, target, onProgress } = parts
  const onRows = (count: number) => onProgress({ step: 'rows', count })
  await using(source, member, (from) =>
    using(target, member, async (to) => {
      const place = { reader: from, schema: undefined }
      for (const group of await groupsOf(from, to, member)) {
        for (const table of group) {
          const total = await countRows(place, table)
          onProgress({ step: 'copy', member: member.name, table: table.name, total })
        }
        await fillGroup(to, group, (table, after) => readBatches(place, table, after), onRows)
        for (const table of group) await setLastNumber(to, table, await lastNumber(place, table))
      }
    }),
  )
}

/** Throws `internal` when the two sides do not have the same tables. */
async function groupsOf(from: Db, to: Db, { kind }: Member): Promise<Table[][]> {
  const [source, target] = await Promise.all(
    [from, to].map((reader) => readTables({ reader, schema: undefined }, kind)),
  )
  const groups = inOrder(source ?? new Map(), kind)
  const isSame = JSON.stringify(groups) === JSON.stringify(inOrder(target ?? new Map(), kind))
  if (isSame) return groups
  throw new AppError('internal', `The two databases of kind ${kind} do not have the same tables.`)
}

async function compareAll(parts: MoveParts, members: readonly Member[]) {
  const sums: TableSum[] = []
  for (const member of members) sums.push(...(await compareMember(parts, member)))
  return { tables: sums.length, rows: sums.reduce((sum, { rows }) => sum + rows, 0) }
}

/** Throws `conflict` at the first table whose content differs. */
async function compareMember(parts: MoveParts, member: Member): Promise<TableSum[]> {
  const { source, target, onProgress } = parts
  const onRows = (count: number) => onProgress({ step: 'rows', count })
  return using(source, member, (from) =>
    using(target, member, async (to) => {
      const sums: TableSum[] = []
      for (const table of (await groupsOf(from, to, member)).flat()) {
        const place = { reader: from, schema: undefined }
        const total = await countRows(place, table)
        onProgress({ step: 'verify', member: member.name, table: table.name, total })
        const [here, there] = await Promise.all([
          sumTable(place, table, onRows),
          sumTable({ reader: to, schema: undefined }, table),
        ])
        if (here.rows !== there.rows || here.digest !== there.digest)
          throw differs(member, table, here, there)
        sums.push(here)
      }
      return sums
    }),
  )
}

function differs(member: Member, { name }: Table, here: TableSum, there: TableSum): AppError {
  return new AppError(
    'conflict',
    `The table ${name} of "${member.name}" is not the same on both sides (${here.rows} and ${there.rows} rows): somebody has written to one of them since the move began. Nothing uses the target yet. Stop whoever writes, then run the same command with --replace.`,
  )
}

async function noteMoved(target: Side, moved: Omit<Moved, 'databases'>): Promise<void> {
  await using(target, firstOf(target), async (db) => {
    await noteStep(db, VERIFIED, JSON.stringify(moved))
  })
}

async function readMoved(target: Side): Promise<Omit<Moved, 'databases'>> {
  return using(target, firstOf(target), async (db) =>
    JSON.parse((await textOf(db, VERIFIED)) ?? '{}'),
  )
}

/** The first database is the last to be opened: until then this is called again after a kill. */
async function finish({ source, target }: MoveParts, members: readonly Member[], id: string) {
  const [first, ...others] = members
  const message = `This installation was moved from ${source.name} to ${target.name}: start Runyard there. "runyard move --undo" makes this copy usable again, as it was then.`
  for (const member of others) await using(target, member, filled)
  for (const member of members) {
    await using(source, member, (db) => setHold(db, { reason: 'left', id, message }))
  }
  if (first) await using(target, first, filled)
}
