import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { whileBusy } from './busy.ts'
import { SqliteConnection } from './connection.ts'
import { JournalThread, OWN_PAGES, SPARE_PAGES } from './journal-thread.ts'

/** More than what it waits for before it begins. */
const MUCH = 1_000_000
const LIMIT = { timeout: 20_000, interval: 20 }

let folder: string
let path: string
let stops: (() => Promise<void> | void)[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'journal-'))
  path = join(folder, 'test.db')
})
afterEach(async () => {
  for (const stop of stops) await stop()
  stops = []
  await rm(folder, { recursive: true, force: true })
})

function open() {
  const connection = new SqliteConnection(path)
  connection.configure()
  connection.script('CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT)')
  const pages: number[] = []
  const setOwnPages = (count: number) => {
    pages.push(count)
    connection.copyFrom(count)
  }
  const thread = new JournalThread({ path, setOwnPages })
  stops.push(
    () => thread.stop(),
    () => connection.close(),
  )
  return { connection, thread, pages }
}

/** So many commits, of about three pages each. */
async function fill(connection: SqliteConnection, count: number): Promise<void> {
  const text = 'x'.repeat(4_000)
  for (let commit = 0; commit < count; commit += 1) {
    await whileBusy(path, () => connection.run('INSERT INTO texts (text) VALUES ($1)', [text]))
  }
}

/** How often the journal was begun anew: it is the fourth number of its head. */
async function beginnings(): Promise<number> {
  return (await readFile(`${path}-wal`)).readUInt32BE(12)
}

it('copies the journal and begins it anew, while commits copy nothing', async () => {
  const { connection, thread, pages } = open()
  const before = await beginnings()
  thread.look(MUCH)
  expect(pages).toEqual([SPARE_PAGES])
  await fill(connection, 900)
  expect(await beginnings()).toBe(before)
  let looks = 2
  await vi.waitFor(async () => {
    await fill(connection, 100)
    thread.look(looks++ * MUCH)
    expect(await beginnings()).toBeGreaterThan(before)
  }, LIMIT)
  const { count } = connection.get('SELECT count(*) AS count FROM texts', []) as { count: number }
  expect(count).toBeGreaterThan(900)
  expect(connection.get('PRAGMA integrity_check', [])).toEqual({ integrity_check: 'ok' })
})

it('copies what it can while somebody reads an old state, who goes on reading that', async () => {
  const { connection, thread } = open()
  await fill(connection, 1)
  const reader = new SqliteConnection(path)
  stops.unshift(() => reader.close())
  const count = () =>
    (reader.get('SELECT count(*) AS count FROM texts', []) as { count: number }).count
  reader.beginReading()
  expect(count()).toBe(1)
  const before = await beginnings()
  for (const looks of [1, 2, 3, 4]) {
    await fill(connection, 1_500)
    thread.look(looks * MUCH)
  }
  expect(count()).toBe(1)
  expect(await beginnings()).toBe(before)
  reader.commit()
  expect(count()).toBe(6_001)
  let looks = 5
  await vi.waitFor(async () => {
    thread.look(looks++ * MUCH)
    await fill(connection, 1)
    expect(await beginnings()).toBeGreaterThan(before)
  }, LIMIT)
})

it('begins only where much is written', async () => {
  const { thread, pages } = open()
  thread.look(100)
  expect(pages).toEqual([])
})

it('begins at once where much is about to be written, and copies it after the next commit', async () => {
  const { connection, thread, pages } = open()
  thread.hurry()
  expect(pages).toEqual([SPARE_PAGES])
  await fill(connection, 2_000)
  const before = await beginnings()
  thread.look(1)
  await vi.waitFor(async () => {
    thread.hurry()
    thread.look(1)
    await fill(connection, 1)
    expect(await beginnings()).toBeGreaterThan(before)
  }, LIMIT)
  await thread.stop()
  thread.hurry()
  expect(pages).toEqual([SPARE_PAGES])
})

it('leaves the copying to commits once it has ended by itself', async () => {
  const { connection, pages } = open()
  const setOwnPages = (count: number) => void pages.push(count)
  // It cannot open a folder.
  const thread = new JournalThread({ path: folder, setOwnPages })
  thread.look(MUCH)
  await vi.waitFor(() => expect(pages).toEqual([SPARE_PAGES, OWN_PAGES]), LIMIT)
  thread.look(2 * MUCH)
  expect(pages).toHaveLength(2)
  await thread.stop()
  await fill(connection, 1)
})

it('has closed the file when it has stopped, so that the last one to close it removes the journal', async () => {
  const { connection, thread } = open()
  thread.look(MUCH)
  await fill(connection, 10)
  await thread.stop()
  connection.close()
  await expect(readFile(`${path}-wal`)).rejects.toThrow('ENOENT')
})
