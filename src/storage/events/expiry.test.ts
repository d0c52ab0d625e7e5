/** Removes events and the parts that they shared, and counts the rows that are read for it. */
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { freshPostgres } from '../../../test/support/postgres/postgres.ts'
import { analyze, rowsRead } from '../../../test/support/postgres/rows-read.ts'
import { forEachTest } from '../../../test/support/running.ts'
import { END_EVENT, type EventStore, STATE_UPDATE_EVENT } from '../../core/agent/event.ts'
import { AGENT_SERVER_MIGRATIONS } from '../agent/store.ts'
import { migrate } from '../migrations/migrate.ts'
import { openDb } from '../open-db.ts'
import { createEventStore } from './table.ts'

const PLACES = { SQLite: async () => ':memory:', PostgreSQL: freshPostgres }

describe.each(Object.entries(PLACES))('on %s', (_name, findPlace) => {
  let events: EventStore
  const thread_id = randomUUID()

  const db = forEachTest(async () => openDb(await findPlace(), 'unused'))
  beforeEach(async () => {
    await migrate(db, AGENT_SERVER_MIGRATIONS)
    events = createEventStore(db)
  })

  /** Adds a run with these events, which has ended. */
  async function addRun(items: string[], created_at: number): Promise<string> {
    const run_id = randomUUID()
    const data = JSON.stringify({ items: items.map((item) => item.repeat(400)) })
    const end = { event: END_EVENT, data: '{}' }
    await events.append({ thread_id, run_id, created_at }, [{ event: 'values', data }, end])
    return run_id
  }

  async function countParts(): Promise<number> {
    const row = await db.get<{ count: number }>('SELECT count(*) AS count FROM event_parts')
    return Number(row?.count)
  }

  test('a long message is kept once, however few there are', async () => {
    const long = 'x'.repeat(20_000)
    for (const messages of [[long], [long, 'and more']]) {
      const data = JSON.stringify({ messages })
      const to = { thread_id, run_id: randomUUID(), created_at: 1 }
      await events.append(to, [{ event: 'values', data }])
      const [read] = await events.read(to.run_id, -1, 1)
      expect(read?.data).toBe(data)
    }
    expect(await countParts()).toBe(2)
  })

  test('a part goes with the last event that needs it', async () => {
    await addRun(['a', 'b', 'c', 'd', 'e', 'f'], 1)
    await addRun(['c', 'd', 'e', 'f', 'g', 'h'], 2)
    const removed = await addRun(['e', 'f', 'g', 'h', 'i', 'j'], 9)
    const data = JSON.stringify(Array.from('ijklmn', (item) => item.repeat(400)))
    await events.appendToThread({ thread_id, created_at: 3 }, [{ event: STATE_UPDATE_EVENT, data }])
    expect(await countParts()).toBe(14)
    await events.expire(2)
    expect(await countParts()).toBe(12)
    await events.expire(3)
    expect(await countParts()).toBe(10)
    await events.deleteRun(removed)
    expect(await countParts()).toBe(6)
    await events.expire(4)
    expect(await countParts()).toBe(0)
  })
})

const THREADS = 300
const KEPT = 1_000

const value = { event: 'values', data: '1' }

test('events expire without a long log that is kept being gone through again and again', async () => {
  const db = await openDb(await freshPostgres(), 'unused')
  await migrate(db, AGENT_SERVER_MIGRATIONS)
  const events = createEventStore(db)
  for (let thread = 0; thread < THREADS; thread += 1) {
    const to = { thread_id: `${thread}`, run_id: `ended ${thread}`, created_at: 1 }
    await events.append(to, [value, { event: END_EVENT, data: '{}' }])
  }
  const kept = Array.from({ length: KEPT }, () => value)
  await events.append({ thread_id: '0', run_id: 'running', created_at: 1 }, kept)
  await analyze(db)
  const rows = await rowsRead(db, async (tx) => {
    expect(await createEventStore(tx).expire(2)).toBe(2 * THREADS)
  })
  expect(rows).toBeLessThan(10 * (2 * THREADS + KEPT))
  expect(await events.read('running', -1, KEPT + 1)).toHaveLength(KEPT)
  await db.close()
}, 60_000)

test('the events of one run are removed without those of other threads being gone through', async () => {
  const db = await openDb(await freshPostgres(), 'unused')
  await migrate(db, AGENT_SERVER_MIGRATIONS)
  const data = JSON.stringify(Array.from('abcdef', (item) => item.repeat(400)))
  for (let thread = 0; thread < THREADS; thread += 1) {
    const to = { thread_id: `${thread}`, run_id: `of ${thread}`, created_at: 1 }
    await createEventStore(db).append(to, Array(10).fill({ event: 'values', data }))
  }
  await analyze(db)
  const rows = await rowsRead(db, (tx) => createEventStore(tx).deleteRun('of 0'))
  // A table as small as that of the counters may be read completely.
  expect(rows).toBeLessThan(2 * THREADS)
  const left = 'SELECT count(*) AS count FROM event_parts WHERE thread_id = $1'
  expect(await db.get(left, ['0'])).toEqual({ count: 0 })
  expect(await db.get(left, ['1'])).toEqual({ count: 6 })
  await db.close()
}, 60_000)
