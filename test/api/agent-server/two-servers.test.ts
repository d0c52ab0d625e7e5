/** Two servers on one PostgreSQL: whichever a client asks, it is the same. */
import type { Client } from '@langchain/langgraph-sdk'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type RunningAgentServer, startAgentServer } from '../../support/agent/agent-server.ts'
import { collect } from '../../support/agent/collect.ts'
import { eventually } from '../../support/eventually.ts'
import { freshPostgres } from '../../support/postgres/postgres.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const dataDir = temporaryFolder()
let database: string
let one: RunningAgentServer
let other: RunningAgentServer

beforeAll(async () => {
  database = await freshPostgres()
  // The second one has room for a single run; the first executes what it creates.
  one = await startAgentServer({ dataDir, database })
  other = await startAgentServer({ dataDir, database, concurrency: 1 })
  const isConnected = () =>
    expect([one, other].every(({ store }) => store.notices.isConnected)).toBe(true)
  await vi.waitFor(isConnected, { timeout: 30_000 })
})
afterAll(async () => {
  await other?.stop()
  await one?.stop()
})

const LONG = { label: 'a', count: 2, ms: 60_000 }

async function createOn({ client }: { client: Client }, graph: string, input: object | null) {
  const { thread_id } = await client.threads.create()
  const { run_id } = await client.runs.create(thread_id, graph, { input: input as never })
  return { thread_id, run_id }
}

async function begun({ client }: { client: Client }, thread_id: string): Promise<void> {
  await eventually(async () => (await client.threads.getState(thread_id)).next).toEqual(['step'])
}

test('a run that was created on one streams whole from the other, while it goes on', async () => {
  const run = await createOn(one, 'slow', { label: 'a', count: 8, ms: 30 })
  const stream = other.client.runs.joinStream(run.thread_id, run.run_id, { lastEventId: '-1' })
  const parts = await collect(stream)
  expect(parts.map(({ id }) => id)).toEqual(parts.map((_, index) => `${index}`))
  expect(parts.at(-1)?.data).toMatchObject({ steps: { length: 8 } })
})

test('what one waits for, the other tells it the end of', async () => {
  const run = await createOn(one, 'slow', { label: 'a', count: 2, ms: 20 })
  const joined = await other.client.runs.join(run.thread_id, run.run_id)
  expect(joined).toMatchObject({ steps: ['a:1', 'a:2'] })
})

test('a run that executes on one is cancelled on the other', async () => {
  const { thread_id, run_id } = await createOn(one, 'slow', LONG)
  await begun(one, thread_id)
  await other.client.runs.cancel(thread_id, run_id, true)
  expect((await one.client.runs.get(thread_id, run_id)).status).toBe('interrupted')
})

test('an interrupt of a run on one is answered on the other', async () => {
  const { thread_id, run_id } = await createOn(one, 'ask', { question: 'Go on?' })
  await other.client.runs.join(thread_id, run_id)
  const { interrupts } = await other.client.threads.get(thread_id)
  expect(Object.keys(interrupts)).toHaveLength(1)
  await other.client.runs.wait(thread_id, 'ask', { command: { resume: 'yes' } })
  expect((await one.client.threads.get(thread_id)).status).toBe('idle')
})

test('who follows a thread on one learns at once that the other has removed it', async () => {
  const { thread_id } = await one.client.threads.create()
  await one.client.runs.wait(thread_id, 'slow', { input: { label: 'a', count: 1, ms: 1 } })
  const stream = await fetch(`${one.url}/threads/${thread_id}/stream`)
  const told = new Promise<void>((resolve) => {
    one.store.notices.subscribe((notice) => {
      if (notice.kind === 'events' && notice.thread_id === thread_id) resolve()
    })
  })
  await other.client.threads.delete(thread_id)
  await told
  await stream.text()
})

test('a server without room has the other execute what it was asked for', async () => {
  const long = await createOn(other, 'slow', LONG)
  await begun(other, long.thread_id)
  const run = await createOn(other, 'slow', { label: 'b', count: 1, ms: 1 })
  expect(await other.client.runs.join(run.thread_id, run.run_id)).toMatchObject({ steps: ['b:1'] })
  await one.client.runs.cancel(long.thread_id, long.run_id, true)
})

test('runs of one thread that both create are done in order, one at a time', async () => {
  const { thread_id } = await one.client.threads.create()
  const labels = ['a', 'b', 'c', 'd', 'e', 'f']
  let last = ''
  for (const [i, label] of labels.entries()) {
    const { client } = i % 2 === 0 ? one : other
    const input = { label, count: 2, ms: 5 }
    last = (await client.runs.create(thread_id, 'slow', { input })).run_id
  }
  await one.client.runs.join(thread_id, last)
  const { values: left } = await other.client.threads.getState<{ steps: string[] }>(thread_id)
  expect(left.steps).toEqual(labels.flatMap((label) => [`${label}:1`, `${label}:2`]))
})
