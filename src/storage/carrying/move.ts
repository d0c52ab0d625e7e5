/**
 * Moves an installation's databases from one side to another: everything is read from the one and carried into the
 * other, and the source is held meanwhile, and for good afterwards. After a kill, the next call begins again.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../core/errors.ts'
import type { Db } from '../db/db.ts'
import { clearHold, type Hold, readHold, setHold } from '../migrations/hold.ts'
import { carry, type Migrations, type Progress, prepareTarget } from './carry.ts'
import { type Pictured, takePicture } from './picture.ts'
import { sumTable } from './read-table.ts'
import { firstOf, type Member, membersOf, type Side, stateOf, type Tables, using } from './side.ts'
import { readTables } from './tables.ts'

interface MoveParts {
  source: Side
  target: Side
  migrations: Migrations
  /** Removes first what an earlier move has left at the target. */
  replace?: boolean
  progress: Progress
}

export interface Moved {
  databases: number
  tables: number
  rows: number
}

/**
 * Throws `conflict` when there is nothing to move, when the target has content of its own, and when the source was
 * written to meanwhile. No server may use either side.
 */
export async function move(parts: MoveParts): Promise<Moved> {
  const { source, target, migrations, replace, progress } = parts
  const { leaving, filling, left } = messagesOf(parts)
  const databases = await takePicture(source, async (pictured) => pictured)
  const { id, isBegun } = await findMove(target, databases)
  const isUnfinished = (hold: Hold) => hold.id === id && hold.reason === 'filling'
  const isFilled = await prepareTarget({
    ...{ target, databases, migrations, id },
    mayRemove: (hold) => isUnfinished(hold) || (replace === true && hold.reason !== 'leaving'),
  })
  progress.step(`${isBegun ? 'beginning again with' : 'moving'} ${databases.length} databases`)
  if (!isFilled) await holdSource(source, databases, { reason: 'leaving', id, message: leaving })
  return takePicture(source, async (contents) => {
    await carry({
      ...{ target, databases: contents, migrations, isFilled, contents, progress },
      hold: { id, message: filling },
      filling: 'copying',
      withSums: (database, work) =>
        using(source, database, (db) => work((table) => sumTable({ reader: db }, table))),
      onFilled: () => holdSource(source, contents, { reason: 'left', id, message: left }),
    })
    return countAll(contents)
  })
}

/** The id of the move that was begun before, or of a new one. Throws `conflict` when the source is not one. */
async function findMove(target: Side, [first]: readonly Pictured[]) {
  const hold = first?.hold
  if (!hold) return { id: randomUUID(), isBegun: false }
  const there = await stateOf(target, firstOf(target))
  const isEnding = there.hold?.reason === 'filled' && there.hold.id === hold.id
  if (hold.reason === 'leaving' || (hold.reason === 'left' && isEnding)) {
    return { id: hold.id, isBegun: true }
  }
  throw new AppError('conflict', hold.message)
}

/** What the holds say, to the operator. */
function messagesOf({ source, target }: MoveParts) {
  const way = `from ${source.name} to ${target.name}`
  return {
    leaving: `This installation is being moved ${way}: run the same "runyard move" again to end that, or "runyard move --undo" to stay here.`,
    filling: `This is the unfinished target of a move from ${source.name}: run the same "runyard move" again.`,
    left: `This installation was moved ${way}: start Runyard there. "runyard move --undo" makes this copy usable again, as it was then.`,
  }
}

/** Lets no Runyard start on the source. */
async function holdSource(source: Side, databases: readonly Tables[], hold: Hold): Promise<void> {
  for (const database of databases) await using(source, database, (db) => setHold(db, hold))
}

async function countAll(databases: readonly Pictured[]): Promise<Moved> {
  const counts: number[] = []
  for (const { groups, count } of databases) {
    for (const table of groups.flat()) counts.push((await count?.(table)) ?? 0)
  }
  const rows = counts.reduce((sum, count) => sum + count, 0)
  return { databases: databases.length, tables: counts.length, rows }
}

/**
 * Makes the source usable again, after a move that will not be completed or is not wanted any more. Returns how many
 * databases were not usable.
 */
export async function takeBack(source: Side): Promise<number> {
  let count = 0
  for (const member of await membersOf(source)) {
    await using(source, member, async (db) => {
      const { reason } = (await readHold(db)) ?? {}
      if (reason !== 'leaving' && reason !== 'left') return
      await clearHold(db)
      count += 1
    })
  }
  return count
}

/** Longer than two signs of life of a process are apart, in ms. */
const LOOK_MS = 4_000

/**
 * Throws `conflict` when a process gives a sign of life in one of the databases, which each Runyard does every second.
 * Takes a few seconds if a process has left its record behind, as a killed one does.
 */
export async function refuseInUse(side: Side): Promise<void> {
  const members = await membersOf(side)
  const before = await signsOf(side, members)
  if (before.size === 0) return
  await sleep(LOOK_MS)
  const after = await signsOf(side, members)
  const living = [...after].find(([whose, sign]) => before.get(whose) !== sign)
  if (!living) return
  const what = `${living[0]} is running on ${side.name}: stop every Runyard that uses it, then run this again.`
  throw new AppError('conflict', what)
}

/** The latest sign of life of each process. */
async function signsOf(side: Side, members: readonly Member[]): Promise<Map<string, number>> {
  const signs: [string, number][] = []
  for (const member of members) {
    signs.push(...(await using(side, member, (db) => signsIn(db, member))))
  }
  return new Map(signs)
}

async function signsIn(db: Db, { kind, name }: Member): Promise<[string, number][]> {
  const tables = await readTables({ reader: db }, kind)
  if (tables.has('servers')) {
    const rows = await db.all<{ id: string; seen_at: number }>(
      'SELECT server_id AS id, seen_at FROM servers',
    )
    return rows.map(({ id, seen_at }) => [`An agent server of ${name} (${id})`, seen_at])
  }
  if (!tables.has('leadership')) return []
  const rows = await db.all<{ holder: string; beat: number }>(
    'SELECT holder, beat FROM leadership WHERE holder IS NOT NULL',
  )
  return rows.map(({ holder, beat }) => [`A control plane (${holder})`, beat])
}
