/** What is read to remove expired events must not grow with the logs that are kept. */
import { expect, test } from 'vitest'
import { freshPostgres } from '../../test/support/postgres.ts'
import { END_EVENT } from '../core/event.ts'
import { AGENT_SERVER_MIGRATIONS } from './agent-store.ts'
import type { Db } from './db.ts'
import { createEventStore } from './events.ts'
import { migrate } from './migrate.ts'
import { openDb } from './open-db.ts'

const THREADS = 300
const KEPT = 1_000

const ROWS = `
  SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0) AS count
  FROM pg_stat_xact_user_tables WHERE schemaname = current_schema()`

/** How many rows this transaction has touched. */
const countRows = async (tx: Db) => Number((await tx.get<{ count: number }>(ROWS))?.count)

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
  await db.script('ANALYZE')
  const rows = await db.transaction(async (tx) => {
    const before = await countRows(tx)
    expect(await createEventStore(tx).expire(2)).toBe(2 * THREADS)
    return (await countRows(tx)) - before
  }, [])
  expect(rows).toBeLessThan(10 * (2 * THREADS + KEPT))
  expect(await events.read('running', -1, KEPT + 1)).toHaveLength(KEPT)
  await db.close()
}, 60_000)
