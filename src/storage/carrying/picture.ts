/**
 * One picture of all databases of an installation, also while it runs.
 *
 * On PostgreSQL all schemas are read in one transaction: one moment for everything. On SQLite each file is read in a
 * transaction of its own, and those begin one right after the other, the control plane's first: each file is as it was
 * at one moment, and these moments are as far apart as it takes to open the files. The databases refer to each other's
 * rows only by a deployment's id; a deployment that comes or goes in between is in the picture as the control plane
 * knew it.
 */
import { existsSync } from 'node:fs'
import { AppError } from '../../core/errors.ts'
import type { Db } from '../db/db.ts'
import { HOLD_VERSION, type Hold, readHold } from '../migrations/hold.ts'
import { openDb } from '../open-db.ts'
import { lastNumber } from './counters.ts'
import { countRows, readRows } from './read-table.ts'
import {
  type Content,
  type CountedTable,
  firstOf,
  listDeployments,
  type Member,
  mayHoldTraps,
  once,
  type Side,
  schemaOf,
  whereOf,
} from './side.ts'
import { inOrder, type Place, qualified, readTables } from './tables.ts'
import { refuseTraps } from './traps.ts'

/** A database in the picture. Its rows can be read as long as the picture is open. */
export interface Pictured extends Content {
  place: Place
  hold: Hold | undefined
}

/** Reads the databases, the first of the side before the others. */
type Work<T> = (databases: Pictured[]) => Promise<T>

/** Throws `conflict` when there is nothing, and `unavailable` when the connection is lost. */
export async function takePicture<T>(side: Side, work: Work<T>): Promise<T> {
  const first = firstOf(side)
  if (!isThere(side, first)) throw nothingIn(side)
  return reading(side, first, async (tx) => {
    const head = await picture(side, first, tx)
    if (!head) throw nothingIn(side)
    const others = first.kind === 'control-plane' ? await listDeployments(tx) : []
    return withOthers({ side, work, tx }, others, [head])
  })
}

/** On SQLite each is read within the one before it: all are open when `work` begins. */
async function withOthers<T>(
  parts: { side: Side; work: Work<T>; tx: Db },
  [next, ...others]: readonly Member[],
  found: Pictured[],
): Promise<T> {
  const { side, work, tx: outer } = parts
  if (!next) return work(found)
  if (!isThere(side, next)) return withOthers(parts, others, found)
  const add = async (tx: Db) => {
    const one = await picture(side, next, tx)
    return withOthers({ ...parts, tx }, others, one ? [...found, one] : found)
  }
  return side.dialect === 'postgres' ? add(outer) : reading(side, next, add)
}

/** Whether its file is there. Whether a schema is there shows when it is read. */
function isThere(side: Side, member: Member): boolean {
  return side.dialect === 'postgres' || existsSync(whereOf(side, member))
}

async function reading<T>(side: Side, member: Member, work: (tx: Db) => Promise<T>): Promise<T> {
  const db = await openDb(whereOf(side, member), schemaOf(side, member) ?? '')
  const begin = once(async (tx) => {
    // The picture may take long: that holds up no other work.
    const unlimited =
      'SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0'
    if (tx.dialect === 'postgres') await tx.script(unlimited)
    return work(tx)
  })
  try {
    return await db.snapshot(begin)
  } finally {
    await db.close()
  }
}

/** `undefined`: it is not there, or a server has just created it, without a table yet. */
async function picture(side: Side, member: Member, reader: Db): Promise<Pictured | undefined> {
  const schema = schemaOf(side, member)
  const place = { reader, schema }
  if (mayHoldTraps(side, member)) {
    await refuseTraps(reader, { schema: schema ?? '', name: member.name })
  }
  const tables = await readTables(place, member.kind)
  if (!tables.has('schema_migrations')) return undefined
  const from = qualified(place, 'schema_migrations')
  const sql = `SELECT max(version) AS version FROM ${from} WHERE version < ${HOLD_VERSION}`
  const row = await place.reader.get<{ version: number }>(sql)
  const groups: CountedTable[][] = []
  for (const group of inOrder(tables, member.kind)) {
    const counted = group.map(async (table) => ({
      ...table,
      last_number: await lastNumber(place, table),
    }))
    groups.push(await Promise.all(counted))
  }
  return {
    ...{ ...member, version: Number(row?.version ?? 0), groups, place },
    hold: await readHold(place.reader, from),
    count: (table) => countRows(place, table),
    rows: (table) => readRows(place, table),
  }
}

function nothingIn({ name }: Side): AppError {
  return new AppError('conflict', `There is nothing to carry: no Runyard has worked on ${name}.`)
}
