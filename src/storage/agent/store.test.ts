import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { postgresUrl } from '../../../test/support/postgres/postgres.ts'
import { forEachTest } from '../../../test/support/running.ts'
import { MULTITASK_STRATEGIES } from '../../core/agent/multitask-strategy.ts'
import {
  CANCEL_ACTIONS,
  RUN_STATUSES,
  RUN_TRANSITIONS,
  type RunStatus,
} from '../../core/agent/run.ts'
import { THREAD_STATUSES } from '../../core/agent/thread.ts'
import { DELIVERY_STATUSES } from '../../core/agent/webhook.ts'
import { openSqlite } from '../db/sqlite/db.ts'
import { latestVersion, migrate } from '../migrations/migrate.ts'
import { postgresSchema, sqliteSchema } from '../migrations/snapshot.ts'
import { AGENT_SERVER_MIGRATIONS, openAgentStore } from './store.ts'

const SNAPSHOT = new URL('../schema/agent-server.sqlite.sql', import.meta.url)
const POSTGRES_SNAPSHOT = new URL('../schema/agent-server.postgres.sql', import.meta.url)

describe('the agent server’s schema', () => {
  const db = forEachTest(() => openSqlite(':memory:'))
  beforeEach(async () => {
    await openAgentStore(db)
    await db.run(
      `INSERT INTO threads (thread_id, created_at, updated_at, state_updated_at, metadata, config, status)
       VALUES ('t', '', '', '', '{}', '{}', 'idle')`,
    )
  })

  /** Inserts a run as raw columns, with a lease if its status needs one. */
  async function insertRun(run_id: string, change: Record<string, string> = {}): Promise<void> {
    const row: Record<string, string | number> = {
      ...{ run_id, thread_id: 't', assistant_id: 'a', created_at: '', updated_at: '' },
      ...{ status: 'pending', metadata: '{}', kwargs: '{}', multitask_strategy: 'enqueue' },
      ...{ available_at: 0, ...change },
      ...(change.status === 'running' && { lease_server_id: 's', lease_expires_at: 1 }),
    }
    const places = Object.keys(row).map((_, i) => `$${i + 1}`)
    const sql = `INSERT INTO runs (${Object.keys(row).join(', ')}) VALUES (${places.join(', ')})`
    await db.run(sql, Object.values(row))
  }

  const constraints = [
    ['status', RUN_STATUSES],
    ['multitask_strategy', MULTITASK_STRATEGIES],
    ['cancel_action', CANCEL_ACTIONS],
  ] as const

  it.each(constraints)('takes each run’s %s in the list, and no other', async (column, list) => {
    for (const value of list) await insertRun(value, { [column]: value })
    await expect(insertRun('bad', { [column]: 'bogus' })).rejects.toThrow('CHECK')
    expect(await listOf('runs', column)).toEqual([...list])
  })

  it('takes each thread’s status in the list, and no other', async () => {
    const set = 'UPDATE threads SET status = $1'
    for (const status of THREAD_STATUSES) await db.run(set, [status])
    await expect(db.run(set, ['bogus'])).rejects.toThrow('CHECK')
    expect(await listOf('threads', 'status')).toEqual([...THREAD_STATUSES])
  })

  it('takes each webhook delivery’s status in the list, and no other', async () => {
    expect(await listOf('webhook_deliveries', 'status')).toEqual([...DELIVERY_STATUSES])
  })

  /** The values that a column's CHECK names. */
  async function listOf(table: string, column: string): Promise<string[]> {
    const row = await db.get<{ sql: string }>('SELECT sql FROM sqlite_schema WHERE name = $1', [
      table,
    ])
    const check = new RegExp(`CHECK \\(${column} IN \\(([^)]*)\\)`).exec(row?.sql ?? '')
    return [...(check?.[1] ?? '').matchAll(/'([^']*)'/g)].map((match) => match[1] ?? '')
  }

  it.each(RUN_STATUSES)('lets a run that is %s take the steps of the table only', async (from) => {
    for (const to of RUN_STATUSES.filter((status) => status !== from)) {
      const run_id = `${from} to ${to}`
      await insertRun(run_id, { status: from })
      const step = moveTo(run_id, to)
      if (RUN_TRANSITIONS[from].includes(to)) await step
      else await expect(step, run_id).rejects.toThrow('step')
      await db.run('DELETE FROM runs')
    }
  })

  function moveTo(run_id: string, status: RunStatus): Promise<number> {
    const [server, expiry] = status === 'running' ? ['s', 1] : [null, null]
    return db.run(
      'UPDATE runs SET status = $2, lease_server_id = $3, lease_expires_at = $4 WHERE run_id = $1',
      [run_id, status, server, expiry],
    )
  }

  it('takes one running run a thread', async () => {
    await insertRun('one', { status: 'running' })
    await expect(insertRun('two', { status: 'running' })).rejects.toThrow('UNIQUE')
  })

  it('has an index for what is asked often', async () => {
    const questions = {
      runs_to_claim:
        "SELECT seq FROM runs WHERE status = 'pending' AND behind = 0 AND available_at <= 1 ORDER BY seq",
      runs_pending: "SELECT seq FROM runs WHERE status = 'pending' AND seq > 1 ORDER BY seq",
      runs_due: "SELECT min(available_at) FROM runs WHERE status = 'pending' AND available_at > 1",
      runs_active: `SELECT * FROM runs
        WHERE thread_id = 't' AND status IN ('pending', 'running')`,
      runs_of_thread: "SELECT * FROM runs WHERE thread_id = 't' ORDER BY seq DESC LIMIT 1",
      events_of_run: "SELECT * FROM events WHERE run_id = 'r' AND run_seq > 1 ORDER BY run_seq",
      events_ends: "SELECT run_id FROM events WHERE event = '__end__' AND created_at < 1",
      events_of_threads: "SELECT seq FROM events WHERE event = 'state_update' AND created_at < 1",
      checkpoints_of_thread:
        "SELECT * FROM checkpoints WHERE thread_id = 't' ORDER BY checkpoint_id DESC LIMIT 1",
      webhook_deliveries_due: `SELECT delivery_id FROM webhook_deliveries
        WHERE status = 'pending' AND next_attempt_at <= 1 ORDER BY next_attempt_at LIMIT 1`,
      webhook_deliveries_by_created_at:
        'SELECT * FROM webhook_deliveries ORDER BY created_at DESC, delivery_id DESC LIMIT 1',
      webhook_deliveries_of_run: "SELECT * FROM webhook_deliveries WHERE run_id = 'r'",
      threads_to_purge: 'SELECT thread_id FROM threads WHERE purge_at <= 1',
    }
    for (const [index, question] of Object.entries(questions)) {
      const plan = await db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${question}`)
      const details = plan.map((row) => row.detail).join('; ')
      expect(details).toContain(index)
      expect(details).not.toContain('TEMP B-TREE')
    }
  })

  it('is the one in the snapshot', async () => {
    const schema = await sqliteSchema(AGENT_SERVER_MIGRATIONS)
    expect(schema).toBe(readFileSync(SNAPSHOT, 'utf8'))
  })

  it('is the one in the snapshot on PostgreSQL', async () => {
    const schema = await postgresSchema(await postgresUrl(), AGENT_SERVER_MIGRATIONS)
    expect(schema).toBe(readFileSync(POSTGRES_SNAPSHOT, 'utf8'))
  })
})

it('a store that cannot be migrated leaves no database open', async () => {
  const db = await openSqlite(':memory:')
  await migrate(db, AGENT_SERVER_MIGRATIONS)
  const later = [latestVersion(AGENT_SERVER_MIGRATIONS) + 1, 'later']
  await db.run('INSERT INTO schema_migrations (version, name) VALUES ($1, $2)', later)
  await expect(openAgentStore(db)).rejects.toMatchObject({ code: 'conflict' })
  await expect(db.get('SELECT 1')).rejects.toMatchObject({ code: 'unavailable' })
})
