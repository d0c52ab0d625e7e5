/** What `behind` says of the runs of a thread, which spares claims the look at most of them. */
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { aRun, aThread, CREATED_AT, LATER } from '../../../test/support/agent/agent-records.ts'
import { claimRun } from '../../../test/support/agent/claim-run.ts'
import { freshPostgres } from '../../../test/support/postgres/postgres.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { AgentStore } from '../../core/agent/agent-store.ts'
import type { Db } from '../db/db.ts'
import { openDb } from '../open-db.ts'
import { DEFAULT_SCHEMA, openAgentStore } from './store.ts'

const now = Date.parse(CREATED_AT)
const claim = { server_id: 's', now, lease_expires_at: now + 1_000 }

describe.each([
  ['SQLite', async (folder: string) => join(folder, 'agent.db')],
  ['PostgreSQL', freshPostgres],
] as const)('on %s', (_name, findPlace) => {
  let folder: string
  let store: AgentStore
  let db: Db
  const thread = aThread()

  beforeEach(async () => {
    folder = temporaryFolder()
    const place = await findPlace(folder)
    store = await openAgentStore(place)
    db = await openDb(place, DEFAULT_SCHEMA)
    await store.threads.insert(thread)
  })

  afterEach(async () => {
    await db.close()
    await store.close()
  })

  async function add(available_at: number): Promise<string> {
    const { run_id } = aRun()
    const own = { run_id, thread_id: thread.thread_id, available_at }
    await store.runs.insert({ ...aRun(), ...own })
    return run_id
  }

  /** Of the runs that wait, in their order. */
  async function behind(): Promise<number[]> {
    const sql = "SELECT behind FROM runs WHERE status = 'pending' ORDER BY seq"
    return (await db.all<{ behind: number }>(sql)).map((row) => row.behind)
  }

  test('all but the first stand behind, and the next one moves up when it is over', async () => {
    const [first = '', second = ''] = [
      await add(now),
      await add(now),
      await add(now),
      await add(now),
    ]
    expect(await behind()).toEqual([0, 1, 1, 1])
    const claimed = await claimRun(store, claim)
    expect(claimed?.run.run_id).toBe(first)
    expect(await behind()).toEqual([1, 1, 1])
    if (claimed) await store.runs.finish(claimed.lease, ENDED)
    expect(await behind()).toEqual([0, 1, 1])
    await store.runs.interruptPending(second, LATER)
    expect(await behind()).toEqual([0, 1])
    await store.runs.delete((await store.runs.listActive(thread.thread_id))[0]?.run_id ?? '')
    expect(await behind()).toEqual([0])
  })

  test('behind a run that is handed back stays behind', async () => {
    await add(now)
    const claimed = await claimRun(store, claim)
    await add(now)
    expect(await behind()).toEqual([1])
    if (claimed) await store.runs.giveBack(claimed.lease)
    expect(await behind()).toEqual([0, 1])
  })

  test('a delayed run keeps nobody behind', async () => {
    await add(now + 5_000)
    const second = await add(now)
    expect(await behind()).toEqual([0, 0])
    await add(now + 9_000)
    await add(now)
    expect(await behind()).toEqual([0, 0, 1, 1])
    expect((await claimRun(store, claim))?.run.run_id).toBe(second)
    await store.runs.delete(second)
    expect(await behind()).toEqual([0, 0, 0])
  })

  test('a run that is added while the one in front ends is not forgotten', async () => {
    for (let round = 0; round < 10; round += 1) {
      await add(now)
      const claimed = await claimRun(store, claim)
      if (!claimed) throw new Error('There was nothing to claim.')
      await Promise.all([add(now), store.runs.finish(claimed.lease, ENDED), add(now)])
      expect((await behind())[0]).toBe(0)
      await db.run('DELETE FROM runs')
    }
  })
})

const ENDED = { status: 'success', error: null, updated_at: LATER } as const
