/** What happens to writes whose connection is lost during the commit. */
import { beforeEach, describe, expect, test } from 'vitest'
import { aRun, aThread } from '../../../../test/support/agent/agent-records.ts'
import { claimRun } from '../../../../test/support/agent/claim-run.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import { startPostgresProxy } from '../../../../test/support/postgres/postgres-proxy.ts'
import { forEachTest } from '../../../../test/support/running.ts'
import type { Lease } from '../../../core/agent/run.ts'
import { openAgentStore } from '../../agent/store.ts'
import { openPostgres } from './db.ts'

let thread_id: string
let run_id: string

const proxy = forEachTest(startPostgresProxy)
const store = forEachTest(() => openAgentStore(proxy.url))
beforeEach(async () => {
  const thread = aThread()
  await store.threads.insert(thread)
  thread_id = thread.thread_id
  run_id = (await store.runs.insert(aRun({ thread_id }))).run_id
})

async function claim(now = 1): Promise<Lease> {
  const claimed = await claimRun(store, { server_id: 's', now, lease_expires_at: now + 10 })
  return claimed?.lease ?? expect.fail('nothing claimed')
}

const names = async () => (await store.events.read(run_id, -1, 10)).map(({ event }) => event)
const EVENTS = ['a', 'b'].map((event) => ({ event, data: '"marked"' }))
const UNANSWERED = {
  code: 'unavailable',
  message: expect.stringContaining('this may have been done, or not'),
}
const atCommitOf = (text: string) => ({ text, end: 'commit' }) as const

describe.each(['before', 'after'] as const)('a connection that is lost %s the commit', (moment) => {
  test('does not double events, nor lose any', async () => {
    const to = { thread_id, run_id, lease: await claim(), created_at: 1 }
    const cut = proxy.cutAt(atCommitOf('"marked"'), moment)
    const written = await store.events.append(to, EVENTS)
    await cut
    expect(written?.map(({ seq, run_seq }) => [seq, run_seq])).toEqual([
      [1, 0],
      [2, 1],
    ])
    expect(await store.events.read(run_id, -1, 10)).toEqual(written)
    expect(await store.events.append(to, EVENTS)).toMatchObject([{ seq: 3 }, { seq: 4 }])
  })

  test('leaves a checkpoint and its writes as if they had been written once', async () => {
    const lease = await claim()
    const key = { thread_id, checkpoint_ns: '', checkpoint_id: 'c1' }
    const value = { channel: 'c', version: '1', type: 'json', bytes: Buffer.from('"value"') }
    const checkpoint = { type: 'json', bytes: Buffer.from('{}') }
    const stored = { ...key, parent_checkpoint_id: null, run_id, checkpoint, metadata: {} }
    const writes = [-4, 0, 1].map((idx) => {
      return { task_id: 't', channel: `w${idx}`, idx, type: 'json', bytes: Buffer.from(`${idx}`) }
    })
    const cuts = ['"value"', 'w-4'].map((text) => proxy.cutAt(atCommitOf(text), moment))
    await store.checkpoints.put(stored, { c: '1' }, [value], lease)
    await store.checkpoints.putWrites(key, writes, lease)
    await Promise.all(cuts)
    const record = await store.checkpoints.get({ thread_id, checkpoint_ns: '' })
    const bytes = (of: { bytes: Uint8Array }[] = []) => of.map((one) => `${Buffer.from(one.bytes)}`)
    expect(bytes(record?.values)).toEqual(bytes([value]))
    expect(bytes(record?.writes)).toEqual(bytes(writes))
    const { checkpoints, pending_writes } = await store.checkpoints.measure(thread_id)
    expect([checkpoints.count, pending_writes.count]).toEqual([1, 3])
  })

  test('is told of where nobody can know', async () => {
    const other = aThread()
    const cut = proxy.cutAt(atCommitOf(other.thread_id), moment)
    await expect(store.threads.insert(other)).rejects.toMatchObject(UNANSWERED)
    await cut
    const stored = await store.threads.get(other.thread_id)
    expect(stored?.thread_id).toBe(moment === 'after' ? other.thread_id : undefined)
  })
})

test('a commit that arrives after its connection was lost is waited for', async () => {
  const to = { thread_id, run_id, lease: await claim(), created_at: 1 }
  const cut = proxy.cutAt(atCommitOf('"marked"'), 'late')
  const written = store.events.append(to, EVENTS)
  const { letGo } = await cut
  const db = await openPostgres(proxy.url, 'unused')
  const waiting = `SELECT count(*) AS n FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND query LIKE '%INTO event_counters%'`
  await eventually(async () => (await db.get<{ n: number }>(waiting))?.n).toBe(1)
  letGo()
  await db.close()
  expect(await written).toHaveLength(2)
  expect(await names()).toEqual(['a', 'b'])
})

test('a run whose claim was not answered is taken up when its lease has run out', async () => {
  const cut = proxy.cutAt({ text: 'nobody', end: 'statement' }, 'after')
  const claimed = claimRun(store, { server_id: 'nobody', now: 1, lease_expires_at: 10 })
  await expect(claimed).rejects.toMatchObject(UNANSWERED)
  await cut
  expect(await claimRun(store, { server_id: 's', now: 5, lease_expires_at: 15 })).toBeUndefined()
  expect(await store.runs.release({ now: 11, dead_servers: [] })).toMatchObject({
    released: [run_id],
  })
  expect(await claim(12)).toMatchObject({ run_id, token: 2 })
})

test('nothing of what cannot be stored is sent', async () => {
  const db = await openPostgres(`${proxy.url}&pgbouncer=true&pool_size=1`, 'unused')
  await db.script('CREATE TABLE notes (text TEXT);')
  const insert = (text: string) => ({ sql: 'INSERT INTO notes (text) VALUES ($1)', params: [text] })
  const refusals = [
    () => db.batch([insert('whole'), insert('a\0b')]),
    () => db.run(insert('').sql, ['a\0b']),
    () => db.transaction((tx) => tx.batch([insert('whole'), insert('a\0b')])),
  ]
  for (const refusal of refusals) {
    await expect(refusal()).rejects.toMatchObject({ code: 'bad_request' })
  }
  expect(await db.all('SELECT text FROM notes')).toEqual([])
  await db.close()
})
