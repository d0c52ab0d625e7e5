import { expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { eventually } from '../../support/eventually.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(startAgentServer)

const LONG = { label: 'a', count: 2, ms: 60_000 }

async function startedRun() {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const { run_id } = await client.runs.create(thread_id, 'slow', { input: LONG })
  await eventually(async () => (await client.threads.getState(thread_id)).next).toEqual(['step'])
  return { thread_id, run_id }
}

/** The run's id, which a stream begins with. */
async function runOf(stream: AsyncIterator<unknown>): Promise<string> {
  const { value } = await stream.next()
  return (value as { data: { run_id: string } }).data.run_id
}

test('interrupt ends a run where it stands and keeps its checkpoints', async () => {
  const { client } = server
  const { thread_id, run_id } = await startedRun()
  await client.runs.cancel(thread_id, run_id, true)
  expect((await client.runs.get(thread_id, run_id)).status).toBe('interrupted')
  expect(await client.threads.getState(thread_id)).toMatchObject({
    next: ['step'],
    values: { label: 'a' },
  })
  expect((await client.threads.get(thread_id)).status).toBe('interrupted')
})

test('rollback leaves the thread as it was before the run', async () => {
  const { client } = server
  const { thread_id, run_id } = await startedRun()
  await client.runs.cancel(thread_id, run_id, true, 'rollback')
  await expect(client.runs.get(thread_id, run_id)).rejects.toThrow('HTTP 404')
  expect(await client.threads.getState(thread_id)).toMatchObject({ values: {}, next: [] })
  expect((await client.threads.get(thread_id)).status).toBe('idle')
})

test('a run that waits ends at once, and whoever joined it gets the thread as it is', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const { run_id } = await client.runs.create(thread_id, 'slow', { input: LONG, afterSeconds: 60 })
  const joined = client.runs.join(thread_id, run_id)
  await client.runs.cancel(thread_id, run_id)
  expect(await joined).toEqual({})
  expect((await client.runs.get(thread_id, run_id)).status).toBe('interrupted')
  expect((await client.threads.get(thread_id)).status).toBe('idle')
})

test('without wait the answer comes before the end, and a run that is over stays as it is', async () => {
  const { thread_id, run_id } = await startedRun()
  const url = `${server.url}/threads/${thread_id}/runs/${run_id}/cancel`
  const accepted = await fetch(`${url}?wait=0`, { method: 'POST' })
  expect([accepted.status, accepted.headers.get('content-length')]).toEqual([202, '0'])
  await server.client.runs.join(thread_id, run_id)
  expect((await fetch(`${url}?wait=1&action=rollback`, { method: 'POST' })).status).toBe(204)
  expect((await server.client.runs.get(thread_id, run_id)).status).toBe('interrupted')
})

test('on_disconnect: cancel ends the run when its client leaves', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const leaving = new AbortController()
  const stream = client.runs.stream(thread_id, 'slow', {
    input: LONG,
    onDisconnect: 'cancel',
    signal: leaving.signal,
  })
  const run_id = await runOf(stream)
  leaving.abort()
  await stream.return(undefined).catch(() => {})
  await eventually(async () => (await client.runs.get(thread_id, run_id)).status).toBe(
    'interrupted',
  )
})

test('so does that of a client that waits for the result', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const leaving = new AbortController()
  const waited = fetch(`${server.url}/threads/${thread_id}/runs/wait`, {
    method: 'POST',
    body: JSON.stringify({ assistant_id: 'slow', input: LONG, on_disconnect: 'cancel' }),
    signal: leaving.signal,
  })
  const run_id = (await waited).headers.get('content-location')?.split('/').at(-1) ?? ''
  leaving.abort()
  await eventually(async () => (await client.runs.get(thread_id, run_id)).status).toBe(
    'interrupted',
  )
  expect(await client.runs.get(thread_id, run_id)).toMatchObject({
    cancel_reason: 'disconnected: its client left',
  })
})

test.each(['join', 'stream'])('and of one that joined by /%s', async (how) => {
  const { client } = server
  const { thread_id, run_id } = await startedRun()
  const leaving = new AbortController()
  const url = `${server.url}/threads/${thread_id}/runs/${run_id}/${how}?cancel_on_disconnect=1`
  await fetch(url, { signal: leaving.signal })
  leaving.abort()
  await eventually(async () => (await client.runs.get(thread_id, run_id)).status).toBe(
    'interrupted',
  )
})

test('an unknown run, and one of another thread, is not found', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const other = await client.threads.create()
  const { run_id } = await client.runs.create(thread_id, 'slow', { input: LONG, afterSeconds: 60 })
  await expect(client.runs.cancel(other.thread_id, run_id)).rejects.toThrow('HTTP 404')
  await expect(client.runs.cancel(thread_id, other.thread_id)).rejects.toThrow('HTTP 404')
})

test('without it the run goes on', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const leaving = new AbortController()
  const input = { label: 'a', count: 3, ms: 30 }
  const stream = client.runs.stream(thread_id, 'slow', { input, signal: leaving.signal })
  const run_id = await runOf(stream)
  leaving.abort()
  expect(await client.runs.join(thread_id, run_id)).toMatchObject({ done: 3 })
  expect((await client.runs.get(thread_id, run_id)).status).toBe('success')
})
