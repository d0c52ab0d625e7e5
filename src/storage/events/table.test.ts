/** Reading a page of a log does not read the rest of it. */
import { afterEach, expect, test } from 'vitest'
import { freshPostgres } from '../../../test/support/postgres/postgres.ts'
import { analyze, rowsRead } from '../../../test/support/postgres/rows-read.ts'
import { AGENT_SERVER_MIGRATIONS } from '../agent/store.ts'
import type { Db } from '../db/db.ts'
import { migrate } from '../migrations/migrate.ts'
import { openDb } from '../open-db.ts'
import { createEventStore } from './table.ts'

const RUN = { thread_id: 'a thread', run_id: 'a long run' }
const EVENTS = 1_000
const AFTER = EVENTS / 2
const LIMIT = 10

let db: Db

async function open(place: string): Promise<void> {
  db = await openDb(place, 'unused')
  await migrate(db, AGENT_SERVER_MIGRATIONS)
}
afterEach(() => db.close())

test('of what a run has written, on PostgreSQL', async () => {
  await open(await freshPostgres())
  const events = Array.from({ length: EVENTS }, () => ({ event: 'values', data: '1' }))
  await createEventStore(db).append({ ...RUN, created_at: 1 }, events)
  await analyze(db)
  const rows = await rowsRead(db, async (tx) => {
    const [first] = await createEventStore(tx).readRun(RUN, AFTER, LIMIT)
    expect(first?.seq).toBe(AFTER + 1)
  })
  expect(rows).toBeLessThan(2 * LIMIT)
})

test('of what a run has written, on SQLite', async () => {
  await open(':memory:')
  const steps: string[] = []
  const asking: Db = Object.create(db, {
    all: {
      value: async (...[sql, params]: Parameters<Db['all']>) => {
        const plan = await db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params)
        steps.push(...plan.map(({ detail }) => detail.replace(/USING INDEX \w+ /, '')))
        return []
      },
    },
  })
  await createEventStore(asking).readRun(RUN, AFTER, LIMIT)
  expect(steps).toEqual(['SEARCH events (thread_id=? AND seq>?)'])
})
