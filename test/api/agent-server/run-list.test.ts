import { beforeAll, expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { forAllTests } from '../../support/running.ts'

let thread_id: string
let run_ids: string[]

const input = { ms: 1, count: 1 }

const server = forAllTests(startAgentServer)
beforeAll(async () => {
  const { client } = server
  thread_id = (await client.threads.create()).thread_id
  const ended = []
  for (const graph of ['slow', 'fail', 'slow']) {
    const run = await client.runs.create(thread_id, graph, { input })
    await client.runs.join(thread_id, run.run_id)
    ended.push(run.run_id)
  }
  const waiting = await client.runs.create(thread_id, 'slow', { input, afterSeconds: 600 })
  run_ids = [waiting.run_id, ...ended.toReversed()]
})

const idsOf = (runs: { run_id: string }[]) => runs.map((run) => run.run_id)

test("a thread's runs are listed, the latest first, page by page", async () => {
  const { runs } = server.client
  expect(idsOf(await runs.list(thread_id))).toEqual(run_ids)
  expect(idsOf(await runs.list(thread_id, { limit: 2, offset: 1 }))).toEqual(run_ids.slice(1, 3))
  expect(await runs.list(thread_id, { offset: 9 })).toEqual([])
})

test('the list can be narrowed to a status', async () => {
  const { runs } = server.client
  expect(idsOf(await runs.list(thread_id, { status: 'pending' }))).toEqual(run_ids.slice(0, 1))
  expect(idsOf(await runs.list(thread_id, { status: 'error' }))).toEqual(run_ids.slice(2, 3))
  expect(await runs.list(thread_id, { status: 'timeout' })).toEqual([])
})

test('with select each has the selected fields only, however the list is sent', async () => {
  const selected = run_ids.map((run_id) => ({ run_id, thread_id }))
  const runs = await server.client.runs.list(thread_id, { select: ['run_id', 'thread_id'] })
  expect(runs).toEqual(selected)
  const asJson = `${server.url}/threads/${thread_id}/runs?select=["run_id","thread_id"]`
  expect(await (await fetch(asJson)).json()).toEqual(selected)
})
