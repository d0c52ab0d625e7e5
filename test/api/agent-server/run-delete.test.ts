import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { eventually } from '../../support/eventually.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(startAgentServer)

const QUICK = { label: 'a', count: 1, ms: 1 }
const LONG = { label: 'b', count: 1, ms: 60_000 }

test('a run that is over goes with its events; what it wrote stays', async () => {
  const { client, store, url } = server
  const { thread_id } = await client.threads.create()
  const { run_id } = await client.runs.create(thread_id, 'slow', { input: QUICK })
  await client.runs.join(thread_id, run_id)
  const removed = await fetch(`${url}/threads/${thread_id}/runs/${run_id}`, { method: 'DELETE' })
  expect(removed.status).toBe(204)
  await expect(client.runs.get(thread_id, run_id)).rejects.toThrow('HTTP 404')
  await expect(client.runs.join(thread_id, run_id)).rejects.toThrow('HTTP 404')
  expect(await client.runs.list(thread_id)).toEqual([])
  expect(await store.events.read(run_id, -1, 10)).toEqual([])
  expect(await client.threads.getState(thread_id)).toMatchObject({ values: { steps: ['a:1'] } })
})

test('a run that waits is gone at once, and the others of its thread go on', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const waiting = await client.runs.create(thread_id, 'slow', { input: LONG, afterSeconds: 600 })
  expect((await client.threads.get(thread_id)).status).toBe('busy')
  await client.runs.delete(thread_id, waiting.run_id)
  expect((await client.threads.get(thread_id)).status).toBe('idle')
  const values = await client.runs.wait(thread_id, 'slow', { input: QUICK })
  expect(values).toMatchObject({ steps: ['a:1'] })
})

test('a run under way is stopped first, and gone when the answer comes', async () => {
  const { client, store } = server
  const { thread_id } = await client.threads.create()
  const { run_id } = await client.runs.create(thread_id, 'slow', { input: LONG })
  await eventually(async () => (await client.threads.getState(thread_id)).next).toEqual(['step'])
  await client.runs.delete(thread_id, run_id)
  expect(await store.runs.get(run_id)).toBeUndefined()
  expect(await store.runs.hasActive(thread_id)).toBe(false)
  expect(await client.threads.get(thread_id)).toMatchObject({ status: 'interrupted' })
})

test('an unknown run, and a run of another thread, is not found', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const other = await client.threads.create()
  const run = await client.runs.create(thread_id, 'slow', { input: QUICK })
  const wrong = client.runs.delete(other.thread_id, run.run_id)
  await expect(wrong).rejects.toThrow('HTTP 404')
  await expect(client.runs.delete(thread_id, randomUUID())).rejects.toThrow('HTTP 404')
  await expect(client.runs.delete(thread_id, 'no-id')).rejects.toThrow('HTTP 422')
})
