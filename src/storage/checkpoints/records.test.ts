/** Reading a checkpoint must not take more rows in a longer history. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { aCheckpoint, bytesOf } from '../../../test/support/agent/agent-records.ts'
import { freshPostgres } from '../../../test/support/postgres/postgres.ts'
import { analyze, rowsRead } from '../../../test/support/postgres/rows-read.ts'
import type { CheckpointStore } from '../../core/agent/checkpoint.ts'
import { AGENT_SERVER_MIGRATIONS } from '../agent/store.ts'
import type { Db, SqlValue } from '../db/db.ts'
import { migrate } from '../migrations/migrate.ts'
import { openDb } from '../open-db.ts'
import { createCheckpointStore } from './table.ts'

const [SHORT, LONG] = ['a short thread', 'a long thread']
/** One of the texts begins with the other. */
const LENGTHS = { [SHORT]: 20, [LONG]: 400 }
const MESSAGES = 12
const ROOT = { checkpoint_ns: '' }

const READS = {
  'the state at an early checkpoint': ({ get }, thread_id) =>
    get({ thread_id, ...ROOT, checkpoint_id: idOf(8) }),
  'the latest state': ({ get }, thread_id) => get({ thread_id, ...ROOT }),
  'a page of the history': ({ list }, thread_id) => list({ thread_id, ...ROOT, limit: 10 }),
  'the page before a checkpoint': ({ list }, thread_id) =>
    list({ thread_id, ...ROOT, limit: 5, before: idOf(12) }),
} satisfies Record<string, (store: CheckpointStore, thread_id: string) => Promise<unknown>>

let db: Db

async function open(place: string): Promise<void> {
  db = await openDb(place, 'unused')
  await migrate(db, AGENT_SERVER_MIGRATIONS)
}
afterEach(() => db.close())

function idOf(step: number): string {
  return String(step).padStart(6, '0')
}

/** Each step replaces the oldest of the last messages and counts. A third channel stays as it is. */
async function fill(thread_id: string, length: number): Promise<void> {
  const store = createCheckpointStore(db)
  for (let step = 0; step < length; step += 1) {
    const version = idOf(step)
    const messages = Array.from({ length: MESSAGES }, (_, i) => `${step + i} ${'x'.repeat(200)}`)
    const values = [
      { channel: 'count', version, ...bytesOf(version) },
      { channel: 'messages', version, ...bytesOf(JSON.stringify(messages)) },
      { channel: 'still', version: '1', ...bytesOf('still') },
    ]
    const versions = { count: version, messages: version, still: '1', empty: '1' }
    const key = { thread_id, checkpoint_id: version }
    await store.put(aCheckpoint(key), versions, values)
    const write = { task_id: 'task', channel: 'count', idx: 0, ...bytesOf(version) }
    await store.putWrites({ ...key, ...ROOT }, [write])
  }
}

async function fillBoth(): Promise<void> {
  for (const [thread_id, length] of Object.entries(LENGTHS)) await fill(thread_id, length)
}

describe('on PostgreSQL', () => {
  beforeEach(async () => open(await freshPostgres()))

  test('no more is read of a long history than of a short one, known to the planner or not', async () => {
    await fillBoth()
    for (const figures of ['none', 'fresh']) {
      if (figures === 'fresh') await analyze(db)
      for (const [name, read] of Object.entries(READS)) {
        const rows = await rowsRead(db, (tx) => read(createCheckpointStore(tx), SHORT))
        expect(rows, name).toBeGreaterThan(0)
        const more = await rowsRead(db, (tx) => read(createCheckpointStore(tx), LONG))
        // The database may choose other plans: the history is twenty times as long.
        expect(more, `${name}, ${figures} figures`).toBeLessThan(2 * rows)
      }
    }
  }, 60_000)
})

describe('on SQLite', () => {
  beforeEach(() => open(':memory:'))

  test('a thread that is removed while its state is read is gone, not broken', async () => {
    await fill(SHORT, 2)
    const during = Object.create(db) as Db
    during.all = async <T>(sql: string, params?: SqlValue[]) => {
      const rows = await db.all<T>(sql, params)
      await createCheckpointStore(db).deleteThread(SHORT)
      return rows
    }
    during.snapshot = (work) => db.snapshot(work)
    const read = createCheckpointStore(during).get({ thread_id: SHORT, ...ROOT })
    expect(await read).toBeUndefined()
  })

  test('each row is found by an index, and by the whole of its key', async () => {
    await fill(SHORT, 20)
    const asked = new Map<string, SqlValue[]>()
    const note = (tx: Db): Db => {
      const noted = Object.create(tx) as Db
      noted.all = (sql, params = []) => {
        asked.set(sql, params)
        return tx.all(sql, params)
      }
      noted.get = (sql, params = []) => {
        asked.set(sql, params)
        return tx.get(sql, params)
      }
      noted.snapshot = (work) => tx.snapshot((inner) => work(note(inner)))
      return noted
    }
    const store = createCheckpointStore(note(db))
    for (const read of Object.values(READS)) await read(store, SHORT)
    const plans = new Set<string>()
    for (const [sql, params] of asked) {
      const steps = await db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params)
      for (const { detail } of steps) plans.add(detail.replace(/USING (COVERING )?INDEX \w+ /, ''))
    }
    const AT = 'thread_id=? AND checkpoint_ns=?'
    expect([...plans].filter((plan) => /^(SEARCH|SCAN c)/.test(plan)).toSorted()).toEqual([
      'SEARCH channel_parts (thread_id=? AND hash=?)',
      `SEARCH channel_values (${AT} AND channel=? AND version=?)`,
      `SEARCH checkpoint_writes (${AT} AND checkpoint_id=?)`,
      // In the order of the index, up to the limit.
      `SEARCH checkpoints (${AT} AND checkpoint_id<?)`,
      `SEARCH checkpoints (${AT} AND checkpoint_id=?)`,
      `SEARCH checkpoints (${AT})`,
    ])
  })
})
