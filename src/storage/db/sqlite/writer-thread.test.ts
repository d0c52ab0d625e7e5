import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { BEGUN, type NotesAsked, OPEN } from '../../../../test/support/notes-work.ts'
import { DatabaseAway } from '../../../core/errors.ts'
import type { Db } from '../db.ts'
import { openSqlite } from './db.ts'

const NOTES = new URL('../../../../test/support/notes-work.ts', import.meta.url)
const LIMIT = { timeout: 20_000, interval: 20 }

let folder: string
let db: Db

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'writer-'))
  db = await openSqlite(join(folder, 'test.db'))
  await db.script('CREATE TABLE notes (text TEXT)')
})
afterEach(async () => {
  await db.close()
  await rm(folder, { recursive: true, force: true })
})

const ask = (asked: NotesAsked) => db.thread?.do(NOTES, asked) ?? Promise.resolve(undefined)
const insert = (text: string) => db.run('INSERT INTO notes (text) VALUES ($1)', [text])
const texts = async () =>
  (await db.all<{ text: string }>('SELECT text FROM notes ORDER BY rowid')).map(({ text }) => text)

/** Asks until it is there. */
async function begin(): Promise<void> {
  const isDone = () => ask({ text: 'begun' }).then((done) => expect(done).toBeDefined())
  await vi.waitFor(isDone, LIMIT)
  await db.run('DELETE FROM notes')
}

/** Of work that is open until `open` is called. */
function gated(): { gate: Int32Array; begun: Promise<unknown>; open: () => void } {
  const gate = new Int32Array(new SharedArrayBuffer(8))
  const { async: isWaiting, value } = Atomics.waitAsync(gate, BEGUN, 0)
  const open = () => {
    Atomics.store(gate, OPEN, 1)
    Atomics.notify(gate, OPEN)
  }
  return { gate, begun: isWaiting ? value : Promise.resolve(), open }
}

it('does nothing before it was asked often', async () => {
  expect(await ask({ text: 'a' })).toBeUndefined()
  expect(await texts()).toEqual([])
})

it('works on another thread, and what it has done is counted as written', async () => {
  await begin()
  const before = db.writeCount ?? 0
  expect(await ask({ text: 'a' })).toEqual({ answer: { isMainThread: false } })
  expect(await texts()).toEqual(['a'])
  expect(db.writeCount).toBeGreaterThan(before)
})

it('lets others read meanwhile, and write when it is done', async () => {
  await begin()
  const { gate, begun, open } = gated()
  const order: string[] = []
  const asked = ask({ text: 'there', gate }).then(() => order.push('there'))
  await begun
  expect(await texts()).toEqual([])
  expect(await db.snapshot((tx) => tx.all('SELECT text FROM notes'))).toEqual([])
  const inTransaction = db.transaction((tx) => tx.run('INSERT INTO notes VALUES ($1)', ['tx']))
  const alone = insert('alone').then(() => order.push('alone'))
  open()
  await Promise.all([asked, inTransaction, alone])
  expect(order).toEqual(['there', 'alone'])
  expect((await texts())[0]).toBe('there')
  expect((await texts()).toSorted()).toEqual(['alone', 'there', 'tx'])
})

it('does what is asked for meanwhile together, and each for itself', async () => {
  await begin()
  const { gate, begun, open } = gated()
  const first = ask({ text: 'first', gate })
  await begun
  const others = [ask({ text: 'a' }), ask({ text: 'undone', end: 'throw' }), ask({ text: 'b' })]
  open()
  await first
  const answer = { answer: { isMainThread: false } }
  expect(await Promise.all(others)).toEqual([answer, undefined, answer])
  expect(await texts()).toEqual(['first', 'a', 'b'])
})

it('leaves alone what cannot be cloned, and goes on', async () => {
  await begin()
  expect(await db.thread?.do(NOTES, { text: 'a', more: () => {} })).toBeUndefined()
  expect(await ask({ text: 'b' })).toBeDefined()
  expect(await texts()).toEqual(['b'])
})

it('says that nobody knows when its thread has ended, and is not asked again', async () => {
  await begin()
  await expect(ask({ text: 'a', end: 'exit' })).rejects.toBeInstanceOf(DatabaseAway)
  expect(await ask({ text: 'b' })).toBeUndefined()
  await insert('c')
  expect(await texts()).toEqual(['c'])
})

it('is not there within a transaction, in memory, and for a file that is gone', async () => {
  await db.transaction(async (tx) => {
    expect(tx.thread).toBeUndefined()
    expect(db.thread).toBeUndefined()
  })
  const inMemory = await openSqlite(':memory:')
  expect(inMemory.thread).toBeUndefined()
  await inMemory.close()
  expect(db.thread).toBeDefined()
  await rm(join(folder, 'test.db'))
  await vi.waitFor(() => expect(db.isGone).toBe(true), LIMIT)
  expect(db.thread).toBeUndefined()
})

it('has done what it was asked when the database is closed, and leaves no journal', async () => {
  await begin()
  const { gate, begun, open } = gated()
  const asked = ask({ text: 'a', gate })
  await begun
  const closed = db.close()
  open()
  expect(await asked).toBeDefined()
  await closed
  expect(await readdir(folder)).toEqual(['test.db'])
  db = await openSqlite(join(folder, 'test.db'))
  expect(await texts()).toEqual(['a'])
})

it('ends when it was not asked for some time, and begins again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    while (!(await ask({ text: 'begun' }))) await setImmediate()
    await vi.advanceTimersByTimeAsync(59_000)
    expect(await ask({ text: 'a' })).toBeDefined()
    await vi.advanceTimersByTimeAsync(59_000)
    expect(await ask({ text: 'b' })).toBeDefined()
    await vi.advanceTimersByTimeAsync(61_000)
    expect(await ask({ text: 'c' })).toBeUndefined()
  } finally {
    vi.useRealTimers()
  }
  await begin()
})
