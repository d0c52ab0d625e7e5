import { expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(startAgentServer)

function post(body: unknown): Promise<Response> {
  return fetch(`${server.url}/runs/batch`, { method: 'POST', body: JSON.stringify(body) })
}

const input = { label: 'a', count: 1, ms: 1 }

test('each run of a batch gets a thread of its own, in the order asked for', async () => {
  const runs = await server.client.runs.createBatch([
    { assistantId: 'slow', input, metadata: { n: 1 } },
    { assistantId: 'agent', input: { messages: [] }, metadata: { n: 2 } },
  ])
  expect(runs).toMatchObject([
    { status: 'pending', metadata: { n: 1, graph_id: 'slow' } },
    { status: 'pending', metadata: { n: 2, graph_id: 'agent' } },
  ])
  expect(runs[0]?.thread_id).not.toBe(runs[1]?.thread_id)
})

test('on_completion goes for each run by itself', async () => {
  const answer = await post([{ assistant_id: 'slow', input, on_completion: 'keep' }])
  const [run] = (await answer.json()) as { thread_id: string; run_id: string }[]
  const { client } = server
  expect(await client.runs.join(run?.thread_id ?? '', run?.run_id ?? '')).toMatchObject({
    steps: ['a:1'],
  })
  expect((await client.threads.get(run?.thread_id ?? '')).status).toBe('idle')
})

test('where one run is refused, none is created', async () => {
  const before = await server.client.threads.count()
  const answer = await post([{ assistant_id: 'slow', input }, { assistant_id: 'nobody' }])
  expect(answer.status).toBe(404)
  expect(await server.client.threads.count()).toBe(before)
})
