import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningAgentServer, startAgentServer } from '../../support/agent-server.ts'
import { eventually } from '../../support/eventually.ts'

let server: RunningAgentServer

beforeAll(async () => {
  server = await startAgentServer({ projectName: 'deaf' })
})
afterAll(() => server.stop())

test('a graph that does not heed its signal is left behind, and writes nothing more', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const { run_id } = await client.runs.create(thread_id, 'deaf', { input: { ms: 1_000 } })
  await eventually(async () => (await client.threads.getState(thread_id)).next).toEqual(['first'])
  await client.runs.cancel(thread_id, run_id, true)
  expect((await client.runs.get(thread_id, run_id)).status).toBe('interrupted')

  const values = await client.runs.wait(thread_id, 'deaf', { input: { ms: 1_500 } })
  expect(values).toEqual({ ms: 1_500, steps: ['first', 'second'] })
})
