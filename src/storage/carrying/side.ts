/** The databases of an installation, on one side of a move, a backup or a restore. */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { parseDatabaseUrl } from '../../core/database-url.ts'
import { AppError } from '../../core/errors.ts'
import type { Db } from '../db/db.ts'
import { type Hold, readHold } from '../migrations/hold.ts'
import { openDb } from '../open-db.ts'
import type { DatabaseKind } from './contents.ts'
import { countRows } from './read-table.ts'
import type { Row } from './rows.ts'
import { inOrder, readTables, type Table } from './tables.ts'
import { refuseTraps } from './traps.ts'

/** Where the databases are: files, or schemas of one PostgreSQL. A URL names its schema. */
export interface Side {
  dialect: 'sqlite' | 'postgres'
  /** For people; without a password. */
  name: string
  /** For `openDb`; `undefined`: it is the database of one `serve`, without a control plane. */
  controlPlane: string | undefined
  /** For `openDb`: of a deployment, or of that `serve`. */
  agentServer(deployment_id: string): string
}

/** One database of a side. */
export interface Member {
  kind: DatabaseKind
  /** `control-plane`, `agent-server` for that of a `serve`, or the deployment's id. */
  id: string
  /** For people: `control plane`, `agent server` or the deployment's name. */
  name: string
}

/** A table with the highest number that it has given to a row. */
export interface CountedTable extends Table {
  last_number: number
}

/** The tables of a database, in the order in which they are filled: those of one list as one. */
export interface Tables extends Member {
  /** The version of its schema. */
  version: number
  groups: readonly (readonly CountedTable[])[]
}

/** Everything in a database. The rows of its tables can be read once each, in the order of the tables. */
export interface Content extends Tables {
  /** The number of rows, if it is known beforehand. */
  count?(table: Table): Promise<number>
  /** In batches that fit into memory. */
  rows(table: Table): AsyncIterable<readonly Row[]>
}

const CONTROL_PLANE: Member = { kind: 'control-plane', id: 'control-plane', name: 'control plane' }
const ALONE: Member = { kind: 'agent-server', id: 'agent-server', name: 'agent server' }

/** The member that all others belong to. */
export function firstOf(side: Side): Member {
  return side.controlPlane === undefined ? ALONE : CONTROL_PLANE
}

/** Every existing database, the first before the others. An empty list: the side is empty. */
export async function membersOf(side: Side): Promise<Member[]> {
  const first = await present(side, [firstOf(side)])
  if (first.length === 0 || side.controlPlane === undefined) return first
  const deployments = await using(side, CONTROL_PLANE, listDeployments)
  return [...first, ...(await present(side, deployments))]
}

/** The deployments of a control plane's database, in the order of their creation. */
export async function listDeployments(db: Pick<Db, 'all'>): Promise<Member[]> {
  const sql = 'SELECT id, name FROM deployments ORDER BY created_at, id'
  const rows = await db.all<{ id: string; name: string }>(sql)
  return rows.map(({ id, name }) => ({ kind: 'agent-server', id, name }))
}

/** The members whose databases exist. Looking creates no file. */
async function present(side: Side, members: readonly Member[]): Promise<Member[]> {
  if (side.dialect === 'sqlite') return members.filter((one) => existsSync(whereOf(side, one)))
  const sql = "SELECT schemaname AS name FROM pg_tables WHERE tablename = 'schema_migrations'"
  const rows = await using(side, firstOf(side), (db) => db.all<{ name: string }>(sql))
  const schemas = new Set(rows.map(({ name }) => name))
  return members.filter((one) => schemas.has(schemaOf(side, one) ?? ''))
}

/** Its schema; `undefined` on SQLite. */
export function schemaOf(side: Side, member: Member): string | undefined {
  return side.dialect === 'sqlite' ? undefined : parseDatabaseUrl(whereOf(side, member)).schema
}

/** For `openDb`. */
export function whereOf(side: Side, { kind, id }: Member): string {
  return kind === 'control-plane' ? (side.controlPlane ?? '') : side.agentServer(id)
}

/** Whether graph code could change the schema as it likes. */
export function mayHoldTraps({ dialect }: Side, { id }: Member): boolean {
  return dialect === 'postgres' && id !== CONTROL_PLANE.id && id !== ALONE.id
}

/**
 * Opens the database for `work`, and closes it. A missing file or schema is created. Throws `conflict` for what
 * `refuseTraps` refuses.
 */
export async function using<T>(
  side: Side,
  member: Member,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const schema = schemaOf(side, member) ?? ''
  const db = await openDb(whereOf(side, member), schema)
  try {
    if (mayHoldTraps(side, member)) {
      await db.transaction(async (tx) => {
        await tx.script('SET LOCAL search_path = pg_catalog')
        await refuseTraps(tx, { schema, name: member.name })
      }, [])
    }
    return await work(db)
  } finally {
    await db.close()
  }
}

/** For work that cannot be repeated in another transaction: then it throws `unavailable`. */
export function once<T>(work: (tx: Db) => Promise<T>): (tx: Db) => Promise<T> {
  let isBegun = false
  return (tx) => {
    if (isBegun) {
      throw new AppError('unavailable', 'The connection to the database was lost: begin again.')
    }
    isBegun = true
    return work(tx)
  }
}

interface MemberState {
  hold: Hold | undefined
  /** Whether it holds nothing that would be lost. */
  isEmpty: boolean
}

/** Creates no file. */
export async function stateOf(side: Side, member: Member): Promise<MemberState> {
  const [there] = await present(side, [member])
  if (!there) return { hold: undefined, isEmpty: true }
  return using(side, member, async (db) => {
    const place = { reader: db }
    const tables = await readTables(place, member.kind)
    const hold = tables.has('schema_migrations') ? await readHold(db) : undefined
    for (const table of inOrder(tables, member.kind).flat()) {
      if ((await countRows(place, table)) > 0) return { hold, isEmpty: false }
    }
    return { hold, isEmpty: true }
  })
}

/** Removes the whole database. */
export async function dropMember(side: Side, member: Member): Promise<void> {
  if (side.dialect === 'sqlite') {
    const file = whereOf(side, member)
    for (const end of ['', '-wal', '-shm']) await rm(`${file}${end}`, { force: true })
    return
  }
  const drop = `DROP SCHEMA ${schemaOf(side, member)} CASCADE`
  await using(side, member, (db) => db.transaction((tx) => tx.script(drop), ['schema']))
}
