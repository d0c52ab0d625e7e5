import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { Db, SqlValue } from '../db/db.ts'
import { openSqlite } from '../db/sqlite/db.ts'
import { createRunStore } from './runs.ts'
import { openAgentStore } from './store.ts'

let folder: string
let db: Db

beforeEach(async () => {
  folder = temporaryFolder()
  const path = join(folder, 'agent.db')
  await (await openAgentStore(path)).close()
  db = await openSqlite(path)
})
afterEach(async () => {
  await db.close()
})

/** How SQLite goes through `runs` for each statement that the work asks for. */
async function plansOf(work: (runs: ReturnType<typeof createRunStore>) => Promise<unknown>) {
  const plans: string[] = []
  const explain = async (sql: string, params: SqlValue[] = []) => {
    const steps = await db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params)
    plans.push(...steps.map(({ detail }) => detail))
    return []
  }
  const explaining: Db = Object.create(db, {
    all: { value: explain },
    get: { value: async (...asked: Parameters<typeof explain>) => (await explain(...asked))[0] },
    json: { value: db.json },
    rowLocks: { value: db.rowLocks },
    transaction: { value: (inside: (tx: Db) => Promise<unknown>) => inside(explaining) },
  })
  await work(createRunStore(explaining))
  return plans
}

const now = 1_000

test.each([
  ['releasing runs', (runs) => runs.release({ now, dead_servers: ['a'] })],
  [
    'claiming',
    (runs) => runs.claim({ server_id: 's', now, lease_expires_at: 2_000, only: 'others' }, 10),
  ],
  ['looking for suspects', (runs) => runs.hasSuspect({ now })],
  ['finding when the next run is due', (runs) => runs.nextDue(now)],
  ['counting those that can be claimed', (runs) => runs.countClaimable(now)],
  ['listing an assistant’s runs', (runs) => runs.listActiveOf('a')],
  [
    'listing those that wait or run',
    (runs) => runs.listWithStatus(['pending', 'running'], { after: 1, limit: 10 }),
  ],
  ['looking whether a thread is full', (runs) => runs.hasPending('t', 10)],
] as [string, Parameters<typeof plansOf>[0]][])(
  '%s does not walk through all runs that ever were',
  async (_what, work) => {
    const plans = await plansOf(work)
    expect(plans.filter((step) => /\b(runs|next|before|waiting)\b/.test(step))).not.toEqual([])
    expect(plans.filter((step) => /^SCAN (runs|next|before|waiting)$/.test(step))).toEqual([])
    expect(plans.filter((step) => /PRIMARY KEY \(rowid>|runs_of_thread/.test(step))).toEqual([])
  },
)

test('claiming looks at the first of each line only', async () => {
  const plans = await plansOf((runs) =>
    runs.claim({ server_id: 's', now, lease_expires_at: 2_000, only: 'others' }, 10),
  )
  expect(plans).toContain('SCAN next USING COVERING INDEX runs_to_claim')
})
