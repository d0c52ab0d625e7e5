import { expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { collect } from '../../support/agent/collect.ts'
import { eventually } from '../../support/eventually.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(startAgentServer)

const input = { label: 'a', count: 1, ms: 1 }

test('wait answers the final values, and the thread is gone', async () => {
  let created: { run_id: string; thread_id?: string } | undefined
  const values = await server.client.runs.wait(null, 'slow', {
    input,
    onRunCreated: (run) => {
      created = run
    },
  })
  expect(values).toMatchObject({ steps: ['a:1'] })
  const thread_id = created?.thread_id ?? ''
  await expect(server.client.threads.get(thread_id)).rejects.toThrow('HTTP 404')
  const run = server.client.runs.get(thread_id, created?.run_id ?? '')
  await expect(run).rejects.toThrow('HTTP 404')
})

// The SDK's word for `keep`.
test('on_completion: continue leaves the thread', async () => {
  const { client } = server
  const run = await client.runs.create(null, 'slow', { input, onCompletion: 'continue' })
  expect(await client.runs.join(run.thread_id, run.run_id)).toMatchObject({ steps: ['a:1'] })
  expect((await client.threads.get(run.thread_id)).status).toBe('idle')
})

test('values that were missed can be read for a while after the thread is gone', async () => {
  const { client } = server
  const run = await client.runs.create(null, 'slow', { input })
  await eventually(() => client.threads.get(run.thread_id).then(() => 'there', String)).toContain(
    'HTTP 404',
  )
  expect(await client.runs.join(run.thread_id, run.run_id)).toMatchObject({ steps: ['a:1'] })
})

test('a stream that was missed can be read for a while after the thread is gone', async () => {
  const { client } = server
  const run = await client.runs.create(null, 'slow', { input, streamMode: 'custom' })
  await eventually(() => client.threads.get(run.thread_id).then(() => 'there', String)).toContain(
    'HTTP 404',
  )
  const parts = await collect(client.runs.joinStream(null, run.run_id))
  expect(parts.map((part) => part.event)).toEqual(['metadata', 'custom'])
})
