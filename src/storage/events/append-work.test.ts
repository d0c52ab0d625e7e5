import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { EventStore, NewEvent, RunEvent } from '../../core/agent/event.ts'
import { AGENT_SERVER_MIGRATIONS } from '../agent/store.ts'
import type { Db } from '../db/db.ts'
import { migrate } from '../migrations/migrate.ts'
import { openDb } from '../open-db.ts'
import { createEventStore } from './table.ts'

const TO = { thread_id: 'a thread', run_id: 'a run', created_at: 7 }

let folder: string
let db: Db
let events: EventStore
/** The answers of the thread. */
let answers: unknown[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'append-'))
  db = await openDb(join(folder, 'test.db'), 'unused')
  await migrate(db, AGENT_SERVER_MIGRATIONS)
  events = createEventStore(db)
  answers = []
  const { thread } = db
  if (!thread) throw new Error('There is no thread.')
  const { do: original } = thread
  thread.do = async (module, asked) => {
    const done = await original.call(thread, module, asked)
    answers.push(done?.answer)
    return done as never
  }
})
afterEach(async () => {
  await db.close()
  await rm(folder, { recursive: true, force: true })
})

const few: NewEvent[] = [{ event: 'values', data: '"few"' }]
const many = (count: number): NewEvent[] =>
  Array.from({ length: count }, (_, i) => ({
    event: i % 2 === 0 ? 'custom' : 'protocol/custom',
    data: `"${i}"`,
    ...(i % 3 === 0 && { isOfThreadOnly: true }),
  }))
/** A list that is kept in parts. */
const long: NewEvent = {
  event: 'values',
  data: JSON.stringify({ messages: Array.from({ length: 200 }, (_, i) => `${i} é `.repeat(30)) }),
}

async function begin(): Promise<void> {
  const isThere = async () => {
    await events.append({ ...TO, run_id: 'the first', thread_id: 'another' }, many(64))
    expect(answers.at(-1)).toBeDefined()
  }
  await vi.waitFor(isThere, { timeout: 20_000, interval: 10 })
  answers = []
}

const shown = (logged: readonly RunEvent[] | undefined) =>
  logged?.map(({ seq, run_seq, event, data }) => ({ seq, run_seq, event, data }))

it('is numbered, answered and read as what is written here', async () => {
  await begin()
  const appends = [few, many(64), few, many(300), [long], [{ ...long, isOfThreadOnly: true }], few]
  const inMemory = await openDb(':memory:', 'unused')
  await migrate(inMemory, AGENT_SERVER_MIGRATIONS)
  const here = createEventStore(inMemory)
  for (const one of appends) {
    expect(shown(await events.append(TO, one))).toEqual(shown(await here.append(TO, one)))
  }
  expect(answers).toHaveLength(4)
  const all = await events.readRun(TO, 0, 1_000)
  expect(all).toEqual(await here.readRun(TO, 0, 1_000))
  expect(all).toHaveLength(369)
  await inMemory.close()
})

it('comes one after the other where several runs of a thread write at once', async () => {
  await begin()
  const ofRuns = await Promise.all(
    [1, 2, 3].map((run) => events.append({ ...TO, run_id: `run ${run}` }, many(100))),
  )
  const seqs = ofRuns.flatMap((logged) => logged?.map(({ seq }) => seq) ?? [])
  expect(seqs).toEqual(Array.from({ length: 300 }, (_, i) => i + 1))
  expect(ofRuns.map((logged) => logged?.find(({ run_seq }) => run_seq === 0)?.data)).toEqual([
    '"1"',
    '"1"',
    '"1"',
  ])
})

it('is not written with a lease that is lost', async () => {
  await begin()
  const lease = { run_id: TO.run_id, server_id: 'a server', token: 1 }
  expect(await events.append({ ...TO, lease }, many(64))).toBeUndefined()
  expect(answers).toEqual([undefined])
  expect(await events.lastSeq(TO.thread_id)).toBe(0)
  const [logged] = (await events.append(TO, many(64))) ?? []
  expect(logged?.seq).toBe(1)
})

it('is written here where the thread has not done it', async () => {
  await begin()
  await db.script("CREATE TRIGGER t BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no'); END")
  await expect(events.append(TO, many(64))).rejects.toThrow('no')
  expect(answers).toEqual([undefined])
  await db.script('DROP TRIGGER t')
  expect(await events.append(TO, many(64))).toHaveLength(64)
})
