import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Db } from '../db/db.ts'
import { openSqlite } from '../db/sqlite/db.ts'
import { keptUntilWritten } from './kept-rows.ts'

interface Row {
  name: string
  value: string
}

const CHANGE = "UPDATE one SET value = 'new' WHERE name = 'a' RETURNING name"
const OLD: Row = { name: 'a', value: 'old' }
const NEW: Row = { name: 'a', value: 'new' }

let db: Db
let reads: string[]
let find: (name: string) => Row | Promise<Row | undefined>

beforeEach(async () => {
  db = await openSqlite(':memory:')
  await db.script("CREATE TABLE one (name TEXT, value TEXT); INSERT INTO one VALUES ('a', 'old')")
  reads = []
  find = keptUntilWritten(db, (name) => {
    reads.push(name)
    return db.get<Row>('SELECT name, value FROM one WHERE name = $1', [name])
  })
})

afterEach(() => db.close())

it('reads a row once while nothing is written, and has it at once then', async () => {
  await find('a')
  expect(find('a')).toEqual(OLD)
  expect(reads).toEqual(['a'])
})

it('keeps nothing of what there is not', async () => {
  await find('b')
  expect(await find('b')).toBeUndefined()
  expect(reads).toEqual(['b', 'b'])
})

it.each<[string, (db: Db) => Promise<unknown>]>([
  ['a statement', (db) => db.run(CHANGE)],
  ['a statement that answers a row', (db) => db.get(CHANGE)],
  ['a statement that answers rows', (db) => db.all(CHANGE)],
  ['a script', (db) => db.script(CHANGE)],
  ['a batch', (db) => db.batch([{ sql: CHANGE, params: [] }])],
  ['a transaction', (db) => db.transaction((tx) => tx.run(CHANGE))],
])('reads a row again after %s', async (_what, change) => {
  await find('a')
  await change(db)
  expect(await find('a')).toEqual(NEW)
})

it('waits for a transaction that has changed the row, and keeps what it leaves', async () => {
  await find('a')
  const changed = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const written = db.transaction(async (tx) => {
    await tx.run(CHANGE)
    changed.resolve()
    await go.promise
  })
  await changed.promise
  const during = find('a')
  go.resolve()
  await written
  expect([await during, await find('a')]).toEqual([NEW, NEW])
})

it('keeps nothing of a transaction that was undone', async () => {
  const undone = db.transaction(async (tx) => {
    await tx.run(CHANGE)
    throw new Error('undo')
  })
  const during = find('a')
  await expect(undone).rejects.toThrow('undo')
  expect([await during, await find('a')]).toEqual([OLD, OLD])
})
