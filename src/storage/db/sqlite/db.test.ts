import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { DatabaseAway } from '../../../core/errors.ts'
import type { Db } from '../db.ts'
import { openSqlite } from './db.ts'

let folder: string
let db: Db
const opened: Db[] = []

async function open(): Promise<Db> {
  const one = await openSqlite(join(folder, 'test.db'))
  opened.push(one)
  return one
}

beforeEach(async () => {
  folder = temporaryFolder()
  db = await open()
  await db.script('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT UNIQUE)')
})

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

const texts = async (from: Db) =>
  (await from.all<{ text: string }>('SELECT text FROM notes ORDER BY id')).map((row) => row.text)

const insert = (to: Db, text: string) => to.run('INSERT INTO notes (text) VALUES ($1)', [text])

test('a placeholder may be used twice and in any order', async () => {
  expect(await db.get('SELECT $2 AS b, $1 AS a, $2 AS c', ['one', 2])).toEqual({
    a: 'one',
    b: 2,
    c: 2,
  })
})

test('bytes come back as they were', async () => {
  const row = await db.get<{ bytes: Uint8Array }>('SELECT $1 AS bytes', [new Uint8Array([0, 255])])
  expect(Array.from(row?.bytes ?? [])).toEqual([0, 255])
})

test('the file is readable by its owner only', () => {
  expect(statSync(join(folder, 'test.db')).mode & 0o777).toBe(0o600)
})

test.each([
  ['is full', 'max_page_count = 1', 'max_page_count = 10000'],
  ['is read-only', 'query_only = ON', 'query_only = OFF'],
])('a database that %s is away until it is not', async (_what, trouble, remedy) => {
  await db.script(`PRAGMA ${trouble}`)
  const text = 'x'.repeat(100_000)
  const writes = [
    () => insert(db, text),
    () => db.batch([{ sql: 'INSERT INTO notes (text) VALUES ($1)', params: [text] }]),
    () => db.transaction((tx) => insert(tx, text)),
  ]
  for (const write of writes) await expect(write()).rejects.toBeInstanceOf(DatabaseAway)
  await db.script(`PRAGMA ${remedy}`)
  expect(await texts(db)).toEqual([])
  await insert(db, text)
})

test('what RETURNING answers through get is committed', async () => {
  const other = await open()
  expect(await db.get('INSERT INTO notes (text) VALUES ($1) RETURNING id', ['a'])).toEqual({
    id: 1,
  })
  expect(await texts(other)).toEqual(['a'])
  expect(await insert(other, 'b')).toBe(1)
})

test('a transaction that throws leaves nothing', async () => {
  const failed = db.transaction(async (tx) => {
    await insert(tx, 'a')
    throw new Error('changed my mind')
  })
  await expect(failed).rejects.toThrow('changed my mind')
  expect(await texts(db)).toEqual([])
})

test('a transaction that the database refuses leaves nothing and the next one works', async () => {
  const failed = db.transaction(async (tx) => {
    await insert(tx, 'a')
    await insert(tx, 'a')
  })
  await expect(failed).rejects.toMatchObject({ code: 'ERR_SQLITE_ERROR' })
  await db.transaction((tx) => insert(tx, 'b'))
  expect(await texts(db)).toEqual(['b'])
})

test('no other statement of the process slips into an open transaction', async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: gate, resolve: openGate } = Promise.withResolvers<void>()
  const failed = db.transaction(async (tx) => {
    await insert(tx, 'undone')
    begin()
    await gate
    throw new Error('undo')
  })
  failed.catch(() => {})
  await begun
  const waiting = Promise.all([insert(db, 'a'), texts(db), db.transaction((tx) => insert(tx, 'b'))])
  openGate()
  await expect(failed).rejects.toThrow('undo')
  expect((await waiting)[1]).toEqual(['a'])
  expect(await texts(db)).toEqual(['a', 'b'])
})

test('the outer database within a transaction is refused instead of waiting for ever', async () => {
  const failed = db.transaction(() => insert(db, 'a'))
  await expect(failed).rejects.toMatchObject({ code: 'internal' })
  const nested = db.transaction(() => db.transaction(async () => 1))
  await expect(nested).rejects.toMatchObject({ code: 'internal' })
  await insert(db, 'b')
  expect(await texts(db)).toEqual(['b'])
})

test('a transaction cannot be used after its end', async () => {
  const escaped = await db.transaction(async (tx) => [tx])
  await expect(texts(escaped[0] as Db)).rejects.toMatchObject({ code: 'internal' })
})

test('a transaction within a transaction is undone with it', async () => {
  const failed = db.transaction(async (tx) => {
    await tx.transaction((inner) => insert(inner, 'a'))
    throw new Error('undo')
  })
  await expect(failed).rejects.toThrow('undo')
  expect(await texts(db)).toEqual([])
})

test('a snapshot does not see what another connection writes meanwhile', async () => {
  const other = await open()
  await insert(db, 'a')
  const seen = await db.snapshot(async (tx) => {
    const before = await texts(tx)
    await insert(other, 'b')
    return [before, await texts(tx)]
  })
  expect(seen).toEqual([['a'], ['a']])
  expect(await texts(db)).toEqual(['a', 'b'])
})

test('two connections that write at once take turns', async () => {
  const other = await open()
  const names = Array.from({ length: 200 }, (_, i) => String(i))
  await Promise.all(
    names.map((name, i) =>
      (i % 2 === 0 ? db : other).transaction(async (tx) => {
        await insert(tx, name)
      }),
    ),
  )
  expect((await texts(db)).sort()).toEqual(names.sort())
})

test('JSON contains JSON as core says, and nothing is contained in NULL', async () => {
  const contains = `SELECT ${db.json.contains('$1', '$2')} AS holds`
  const holds = async (document: string | null, wanted: string) =>
    (await db.get<{ holds: number }>(contains, [document, wanted]))?.holds
  expect(await holds('{"a": {"b": [1, {"c": 2, "d": 3}]}}', '{"a": {"b": [{"c": 2}]}}')).toBe(1)
  expect(await holds('{"a": "ü"}', '{"a": "\\u00fc"}')).toBe(1)
  expect(await holds('{"a": 1}', '{"a": 2}')).toBe(0)
  expect(await holds(null, '{}')).toBe(0)
})

test('the JSON fragments find texts, entries and fields of any name and type', async () => {
  const { json } = db
  const found = await db.get(`SELECT 'b' IN ${json.texts('$1')} AS found`, ['["a","b"]'])
  expect(found).toEqual({ found: 1 })
  const entries = await db.all(`SELECT e.key, e.value FROM ${json.entries('$1')} AS e`, [
    '{"a.b":"1"}',
  ])
  expect(entries).toEqual([{ key: 'a.b', value: '1' }])
  const object = { 'a "q" $.b': 'x', n: 1, yes: true, no: null, deep: { b: [1, { c: 2 }] } }
  const equals = `SELECT ${json.fieldsEqual('$1', '$2')} AS equal`
  for (const [key, value] of Object.entries(object)) {
    const params = [JSON.stringify(object), JSON.stringify({ [key]: value })]
    expect(await db.get(equals, params), key).toEqual({ equal: 1 })
  }
  expect(await db.get(equals, [JSON.stringify(object), JSON.stringify(object)])).toEqual({
    equal: 1,
  })
  for (const wrong of ['1', '"true"', 'false', '{}']) {
    const params = [JSON.stringify(object), `{"n": 1, "yes": ${wrong}}`]
    expect(await db.get(equals, params)).toEqual({ equal: 0 })
  }
})

test('a closed database refuses, and closing it again is harmless', async () => {
  await db.close()
  await db.close()
  await expect(texts(db)).rejects.toMatchObject({ code: 'unavailable' })
})

test('kill -9 keeps what was committed and undoes what was not', async () => {
  const program = `
    import { openSqlite } from ${JSON.stringify(new URL('./db.ts', import.meta.url).href)}
    const db = await openSqlite(process.argv[1])
    const insert = (to, text) => to.run('INSERT INTO notes (text) VALUES ($1)', [text])
    await insert(db, 'kept')
    await db.transaction(async (tx) => {
      await insert(tx, 'undone')
      process.kill(process.pid, 'SIGKILL')
      await new Promise(() => {})
    })`
  const child = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    program,
    join(folder, 'test.db'),
  ])
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
  expect(await texts(db)).toEqual(['kept'])
  await insert(db, 'after')
})
