import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '@langchain/langgraph-sdk'
import { beforeEach, expect, test } from 'vitest'
import type { AgentStore } from '../../../src/core/agent/agent-store.ts'
import { openAgentStore } from '../../../src/storage/agent/store.ts'
import { agentDatabase } from '../../support/agent/agent-database.ts'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { useUpAttempts } from '../../support/agent/claim-run.ts'
import { collect } from '../../support/agent/collect.ts'
import { closedGate } from '../../support/agent/gate.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let dataDir: string

beforeEach(() => {
  dataDir = temporaryFolder()
})

test('a server that stops hands its run back, and the next one goes on from its checkpoint', async () => {
  const first = await startAgentServer({ dataDir })
  const { thread_id } = await first.client.threads.create()
  const gate = await closedGate()
  const input = { label: 'a', count: 4, ms: 1, gate: gate.path }
  const { run_id } = await first.client.runs.create(thread_id, 'slow', { input })
  await hasDone(first.client, thread_id)
  await first.stop({ graceMs: 0 })
  gate.open()

  const next = await startAgentServer({ dataDir })
  const values = await next.client.runs.join(thread_id, run_id)
  expect(values).toMatchObject({ steps: ['a:1', 'a:2', 'a:3', 'a:4'] })
  const timeline = await fetch(`${next.url}/threads/${thread_id}/runs/${run_id}/timeline`)
  expect(await timeline.json()).toMatchObject({
    attempt: 1,
    attempts: [
      { token: 1, attempt: 1, outcome: 'handed_over' },
      { token: 2, attempt: 1, outcome: 'success' },
    ],
  })
  await next.stop()
})

test('a drained server hands its run on at a checkpoint, and its streams go on to the end', async () => {
  const old = await startAgentServer({ dataDir })
  const { thread_id } = await old.client.threads.create()
  const stream = collect(
    old.client.runs.stream(thread_id, 'slow', {
      input: { label: 'a', count: 4, ms: 400 },
      streamMode: ['updates', 'values'],
    }),
  )
  await hasDone(old.client, thread_id)
  const next = await startAgentServer({ dataDir })
  await old.drain({ graceMs: 0, checkpointMs: 60_000 })
  const later = await old.client.runs.wait(thread_id, 'slow', {
    input: { label: 'b', count: 1 },
    multitaskStrategy: 'enqueue',
  })
  expect(later).toMatchObject({ steps: ['a:1', 'a:2', 'a:3', 'a:4', 'b:1'] })
  const events = await stream
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => String(index)))
  const updates = events.filter(({ event }) => event === 'updates')
  expect(JSON.stringify(updates).match(/a:\d/g)).toEqual(['a:1', 'a:2', 'a:3', 'a:4'])
  await old.stop()
  await next.stop()
})

test('a run whose checkpoints lag behind is handed on with all that it has told, and tells nothing twice', async () => {
  const old = await startAgentServer({ dataDir, storeOver: withSlowCheckpoints })
  const { thread_id } = await old.client.threads.create()
  const input = { label: 'a', count: 6, ms: 100 }
  const stream = collect(
    old.client.runs.stream(thread_id, 'slow', { input, streamMode: 'updates' }),
  )
  await eventually(async () => (await old.client.threads.get(thread_id)).status).toBe('busy')
  await old.drain({ graceMs: 0, checkpointMs: 60_000 })
  const next = await startAgentServer({ dataDir })
  const updates = (await stream).filter(({ event }) => event === 'updates')
  const steps = ['a:1', 'a:2', 'a:3', 'a:4', 'a:5', 'a:6']
  expect(JSON.stringify(updates).match(/a:\d/g)).toEqual(steps)
  await old.stop()
  await next.stop()
})

test('a server that stops waits for runs as long as it is told to', async () => {
  const first = await startAgentServer({ dataDir })
  const { thread_id } = await first.client.threads.create()
  const input = { label: 'a', count: 2, ms: 50 }
  const { run_id } = await first.client.runs.create(thread_id, 'slow', { input })
  await eventually(async () => (await first.client.runs.get(thread_id, run_id)).status).not.toBe(
    'pending',
  )
  await first.stop({ graceMs: 60_000 })

  const next = await startAgentServer({ dataDir, concurrency: 0 })
  expect((await next.client.runs.get(thread_id, run_id)).status).toBe('success')
  await next.stop()
})

test('a stream that is open when the server stops is cut, never ended cleanly', async () => {
  const server = await startAgentServer({ dataDir })
  const response = await fetch(`${server.url}/runs/stream`, {
    method: 'POST',
    body: JSON.stringify({ assistant_id: 'slow', input: { ms: 60_000 } }),
  })
  const read = response.text()
  const outcome = read.then(
    () => 'ended',
    () => 'cut',
  )
  await server.stop()
  expect(await outcome).toBe('cut')
})

test('a run that takes its server down each time ends in error, and its thread goes on', async () => {
  const first = await startAgentServer({ dataDir, concurrency: 0 })
  const { thread_id } = await first.client.threads.create()
  const { run_id } = await first.client.runs.create(thread_id, 'slow', { input: { ms: 1 } })
  const later = await first.client.runs.create(thread_id, 'slow', { input: { ms: 1, count: 1 } })
  await first.stop()
  await loseThreeTimes(await agentDatabase(dataDir))

  const next = await startAgentServer({ dataDir })
  expect(await next.client.runs.join(thread_id, run_id)).toMatchObject({
    __error__: { error: 'RunAttemptsExhausted', message: expect.stringContaining('3 times') },
  })
  expect((await next.client.runs.get(thread_id, run_id)).status).toBe('error')
  expect(await next.client.runs.join(thread_id, later.run_id)).toMatchObject({ steps: ['run:1'] })
  await next.stop()
})

test('a factory that takes its server down each time is not called again to end its run', async () => {
  const projectName = 'factory'
  const first = await startAgentServer({ dataDir, projectName, concurrency: 0 })
  const { thread_id } = await first.client.threads.create()
  const config = { configurable: { greeting: 'endlessly' } }
  const { run_id } = await first.client.runs.create(thread_id, 'greeter', { config })
  await first.stop()
  await loseThreeTimes(await agentDatabase(dataDir))

  const next = await startAgentServer({ dataDir, projectName })
  expect(await next.client.runs.join(thread_id, run_id)).toMatchObject({
    __error__: { error: 'RunAttemptsExhausted' },
  })
  expect((await next.client.threads.get(thread_id)).status).toBe('error')
  await next.stop()
})

test('who streams a run that takes its servers down at once is told the error', async () => {
  const server = await startAgentServer({ dataDir, concurrency: 0 })
  const { thread_id } = await server.client.threads.create()
  const stream = server.client.runs.stream(thread_id, 'slow', { input: { ms: 1 } })
  const { value: first } = await stream.next()
  await loseThreeTimes(await agentDatabase(dataDir))
  const events = await collect(stream)
  expect(first).toMatchObject({ event: 'metadata', id: '0' })
  expect(events).toMatchObject([{ event: 'error', data: { error: 'RunAttemptsExhausted' } }])
  await server.stop()
})

/** The run has made a first step at the least; it is not asked often enough to see each. */
async function hasDone({ threads }: Client, thread_id: string): Promise<void> {
  const done = async () => (await threads.getState<{ done?: number }>(thread_id)).values.done
  await eventually(done).toBeGreaterThan(0)
}

/** The next run's attempts are used up. */
async function loseThreeTimes(path: string): Promise<void> {
  const store = await openAgentStore(path)
  await useUpAttempts(store)
  await store.close()
}

/** As on a disk that has much else to do: a step takes less time than its checkpoint. */
function withSlowCheckpoints(store: AgentStore): AgentStore {
  const { checkpoints } = store
  const put: typeof checkpoints.put = async (...checkpoint) => {
    await delay(300)
    return checkpoints.put(...checkpoint)
  }
  return new Proxy(store, {
    get: (_, name) =>
      name === 'checkpoints'
        ? new Proxy(checkpoints, {
            get: (_1, own) => (own === 'put' ? put : bound(checkpoints, own)),
          })
        : bound(store, name),
  })
}

function bound(target: object, name: string | symbol): unknown {
  const value = Reflect.get(target, name)
  return typeof value === 'function' ? value.bind(target) : value
}
