import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { eventually } from '../../support/eventually.ts'
import { forEachTest } from '../../support/running.ts'

const server = forEachTest(startAgentServer)

const LONG = { label: 'a', count: 1, ms: 60_000 }

/** A thread with a run under way and two that wait for it. */
async function line() {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const runs = []
  for (let i = 0; i < 3; i += 1) {
    runs.push(await client.runs.create(thread_id, 'slow', { input: LONG }))
  }
  await eventually(async () => (await client.threads.getState(thread_id)).next).toEqual(['step'])
  return { thread_id, run_ids: runs.map((run) => run.run_id) }
}

function statuses(thread_id: string, run_ids: string[]): Promise<string[]> {
  const { runs } = server.client
  const status = (run_id: string) =>
    runs.get(thread_id, run_id).then(
      (run) => run.status,
      () => 'gone',
    )
  return Promise.all(run_ids.map(status))
}

function post(body: unknown, query = ''): Promise<Response> {
  return fetch(`${server.url}/runs/cancel${query}`, { method: 'POST', body: JSON.stringify(body) })
}

test('named runs of a thread end, the others stay', async () => {
  const { client } = server
  const { thread_id, run_ids } = await line()
  await client.runs.cancelMany({ threadId: thread_id, runIds: run_ids.slice(0, 2) })
  await client.runs.join(thread_id, run_ids[0] ?? '')
  expect((await statuses(thread_id, run_ids)).slice(0, 2)).toEqual(['interrupted', 'interrupted'])
  await eventually(() => statuses(thread_id, run_ids)).toEqual([
    'interrupted',
    'interrupted',
    'running',
  ])
})

test('all that wait end, and what runs goes on', async () => {
  const [first, second] = [await line(), await line()]
  await server.client.runs.cancelMany({ status: 'pending' })
  for (const { thread_id, run_ids } of [first, second]) {
    expect(await statuses(thread_id, run_ids)).toEqual(['running', 'interrupted', 'interrupted'])
  }
})

test('all that run end, and the next in line begin', async () => {
  const { thread_id, run_ids } = await line()
  await server.client.runs.cancelMany({ status: 'running' })
  await eventually(() => statuses(thread_id, run_ids)).toEqual([
    'interrupted',
    'running',
    'pending',
  ])
})

test('rollback takes all of them away', async () => {
  const { client } = server
  const { thread_id, run_ids } = await line()
  await client.runs.cancelMany({ status: 'all', action: 'rollback' })
  await eventually(() => statuses(thread_id, run_ids)).toEqual(['gone', 'gone', 'gone'])
  expect(await client.threads.getState(thread_id)).toMatchObject({ values: {}, next: [] })
})

test('where nothing waits or runs that is said', async () => {
  const answer = await post({ status: 'all' })
  expect(answer.status).toBe(404)
  expect(await answer.text()).toContain('none is pending or running')
  const { client } = server
  const { thread_id } = await client.threads.create()
  const input = { label: 'a', count: 1, ms: 1 }
  const { run_id } = await client.runs.create(thread_id, 'slow', { input })
  await client.runs.join(thread_id, run_id)
  expect((await post({ thread_id, run_ids: [run_id] })).status).toBe(404)
  expect((await post({ thread_id, run_ids: [] })).status).toBe(404)
})

test('where one run is unknown none ends', async () => {
  const { thread_id, run_ids } = await line()
  const answer = await post({ thread_id, run_ids: [...run_ids, randomUUID()] })
  expect(answer.status).toBe(404)
  expect(await statuses(thread_id, run_ids)).toEqual(['running', 'pending', 'pending'])
  expect((await post({ thread_id: randomUUID(), run_ids })).status).toBe(404)
})
