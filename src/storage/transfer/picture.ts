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
import type { Table } from '../../core/picture.ts'
import type { Db } from '../db/db.ts'
import { readHold } from '../migrations/hold.ts'
import { openDb } from '../open-db.ts'
import { inOrder, type Place, readTables } from './catalogue.ts'
import {
  firstOf,
  listDeployments,
  type Member,
  mayHoldTraps,
  type Side,
  schemaOf,
  whereOf,
} from './side.ts'
import { refuseTraps } from './traps.ts'

/** A database in the picture. */
export interface Pictured {
  member: Member
  place: Place
  /** The version of its schema. */
  version: number
  /** In the order in which they are to be filled. */
  groups: Table[][]
}

/** Throws `conflict` when there is nothing, and while the installation is being moved or restored. */
export async function takePicture<T>(
  side: Side,
  work: (databases: Pictured[]) => Promise<T>,
): Promise<T> {
  return side.dialect === 'sqlite' ? ofFiles(side, work) : ofPostgres(side, work)
}

async function ofPostgres<T>(side: Side, work: (databases: Pictured[]) => Promise<T>): Promise<T> {
  const first = firstOf(side)
  const db = await openDb(whereOf(side, first), schemaOf(side, first) ?? '')
  let isBegun = false
  try {
    return await db.snapshot(async (tx) => {
      if (isBegun) throw lostConnection()
      isBegun = true
      // The picture may take long: that holds up no other work.
      await tx.script(
        'SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0',
      )
      const sql = "SELECT schemaname AS name FROM pg_tables WHERE tablename = 'schema_migrations'"
      const schemas = new Set((await tx.all<{ name: string }>(sql)).map(({ name }) => name))
      const isThere = (member: Member) => schemas.has(schemaOf(side, member) ?? '')
      if (!isThere(first)) throw nothingIn(side)
      const others = first.kind === 'control-plane' ? await listDeployments(tx) : []
      const found: Pictured[] = []
      for (const member of [first, ...others.filter(isThere)]) {
        const schema = schemaOf(side, member)
        if (mayHoldTraps(side, member)) {
          await refuseTraps(tx, { schema: schema ?? '', name: member.name })
        }
        const one = await picture(member, { reader: tx, schema })
        if (one) found.push(one)
      }
      return work(found)
    })
  } finally {
    await db.close()
  }
}

async function ofFiles<T>(side: Side, work: (databases: Pictured[]) => Promise<T>): Promise<T> {
  const first = firstOf(side)
  if (!existsSync(whereOf(side, first))) throw nothingIn(side)
  return reading(side, first, async (tx) => {
    const head = await picture(first, { reader: tx, schema: undefined })
    if (!head) throw nothingIn(side)
    const others = first.kind === 'control-plane' ? await listDeployments(tx) : []
    return readingAll(side, others, [head], work)
  })
}

/** Each within the one before it: all are open when `work` begins. */
async function readingAll<T>(
  side: Side,
  members: readonly Member[],
  found: Pictured[],
  work: (databases: Pictured[]) => Promise<T>,
): Promise<T> {
  const [next, ...others] = members
  if (!next) return work(found)
  if (!existsSync(whereOf(side, next))) return readingAll(side, others, found, work)
  return reading(side, next, async (tx) => {
    const one = await picture(next, { reader: tx, schema: undefined })
    return readingAll(side, others, one ? [...found, one] : found, work)
  })
}

async function reading<T>(side: Side, member: Member, work: (tx: Db) => Promise<T>): Promise<T> {
  const db = await openDb(whereOf(side, member), '')
  try {
    return await db.snapshot(work)
  } finally {
    await db.close()
  }
}

/** `undefined`: a server has just created it, without a table yet. */
async function picture(member: Member, place: Place): Promise<Pictured | undefined> {
  const tables = await readTables(place, member.kind)
  if (!tables.has('schema_migrations')) return undefined
  const from = place.schema === undefined ? '' : `${place.schema}.`
  const hold = await readHold(place.reader, from)
  if (hold) throw new AppError('conflict', hold.message)
  const sql = `SELECT max(version) AS version FROM ${from}schema_migrations`
  const row = await place.reader.get<{ version: number }>(sql)
  const groups = inOrder(tables, member.kind)
  return { member, place, version: Number(row?.version ?? 0), groups }
}

function nothingIn({ name }: Side): AppError {
  return new AppError('conflict', `There is nothing to back up: no Runyard has worked on ${name}.`)
}

function lostConnection(): AppError {
  return new AppError('unavailable', 'The connection to the database was lost: begin again.')
}
