import { AsyncLocalStorage } from 'node:async_hooks'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { DatabaseAway } from '../../../core/errors.ts'
import type { Db } from '../db.ts'
import { openSqlite } from './db.ts'

let folder: string
let db: Db
let other: Db

beforeEach(async () => {
  folder = temporaryFolder()
  db = await openSqlite(join(folder, 'test.db'))
  await db.script('CREATE TABLE notes (text TEXT UNIQUE)')
  other = await openSqlite(join(folder, 'test.db'))
})

afterEach(async () => {
  await db.close()
  await other.close()
})

const insert = (to: Db, text: string) => to.run('INSERT INTO notes (text) VALUES ($1)', [text])
const add = (text: string) => db.transaction((tx) => insert(tx, text))
const texts = async (from: Db) =>
  (await from.all<{ text: string }>('SELECT text FROM notes')).map(({ text }) => text)

test('transactions of one turn are committed together, in order, and answered then', async () => {
  const seen: string[] = []
  const one = async (name: string) => {
    await db.transaction(async (tx) => {
      await insert(tx, name)
      seen.push(`${name} is written, others see ${await texts(other)}`)
    })
    seen.push(`${name} is answered, others see ${await texts(other)}`)
  }
  await Promise.all([one('a'), one('b')])
  expect(seen).toEqual([
    'a is written, others see ',
    'b is written, others see ',
    'a is answered, others see a,b',
    'b is answered, others see a,b',
  ])
})

test('what fails is undone alone', async () => {
  const refused = db.transaction(async (tx) => {
    await insert(tx, 'undone')
    throw new Error('changed my mind')
  })
  const asked = [add('a'), refused, add('a'), add('b')]
  const outcomes = await Promise.allSettled(asked)
  expect(outcomes).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { message: 'changed my mind' } },
    { status: 'rejected', reason: { code: 'ERR_SQLITE_ERROR' } },
    { status: 'fulfilled' },
  ])
  expect(await texts(other)).toEqual(['a', 'b'])
})

test('where SQLite undoes all of it, the others are done again', async () => {
  await db.script('PRAGMA max_page_count = 20')
  const asked = [add('a'), add('x'.repeat(1_000_000)), add('b')]
  const outcomes = await Promise.allSettled(asked)
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(outcomes[1]).toMatchObject({ reason: expect.any(DatabaseAway) })
  expect(await texts(other)).toEqual(['a', 'b'])
})

test('each works in the async context of its caller', async () => {
  const caller = new AsyncLocalStorage<string>()
  const ask = (name: string) =>
    caller.run(name, () => db.transaction(async () => caller.getStore()))
  expect(await Promise.all([ask('a'), ask('b')])).toEqual(['a', 'b'])
})

test('closing waits for what was asked for', async () => {
  const asked = [add('a'), add('b')]
  await db.close()
  await Promise.all(asked)
  expect(await texts(other)).toEqual(['a', 'b'])
})
