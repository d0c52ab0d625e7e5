import { expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { eventually } from '../../support/eventually.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(startAgentServer)

const LONG = { label: 'old', count: 2, ms: 60_000 }
const QUICK = { label: 'new', count: 1, ms: 1 }

/** A thread whose run stands in its first step, with another one waiting behind it. */
async function busyThread() {
  const { client } = server
  const { thread_id } = await client.threads.create()
  await client.runs.wait(thread_id, 'slow', { input: { label: 'first', count: 1, ms: 1 } })
  const running = await client.runs.create(thread_id, 'slow', { input: LONG })
  const waiting = await client.runs.create(thread_id, 'slow', { input: LONG })
  await eventually(async () => (await client.threads.getState(thread_id)).metadata).toMatchObject({
    run_id: running.run_id,
    step: 5,
  })
  return { thread_id, running, waiting }
}

test('a hundred runs that are sent at once run one by one, in the order received', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const labels = Array.from({ length: 100 }, (_, index) => `r${index}`)
  const runs = []
  for (const label of labels) {
    runs.push(await client.runs.create(thread_id, 'slow', { input: { label, count: 1, ms: 0 } }))
  }
  await client.runs.join(thread_id, runs.at(-1)?.run_id ?? '')
  const { values } = await client.threads.getState<{ steps: string[] }>(thread_id)
  expect(values.steps).toEqual(labels.map((label) => `${label}:1`))
})

test('reject: a busy thread takes no other run', async () => {
  const { client } = server
  const { thread_id, running } = await busyThread()
  const options = { input: QUICK, multitaskStrategy: 'reject' } as const
  const refused = client.runs.create(thread_id, 'slow', options)
  await expect(refused).rejects.toThrow(/HTTP 409: .*already running/)
  expect((await client.runs.get(thread_id, running.run_id)).status).toBe('running')
})

test('interrupt: the others end, what they wrote stays', async () => {
  const { client } = server
  const { thread_id, running, waiting } = await busyThread()
  const options = { input: QUICK, multitaskStrategy: 'interrupt' } as const
  const values = await client.runs.wait(thread_id, 'slow', options)
  expect(values).toMatchObject({ label: 'new', steps: ['first:1', 'new:1'] })
  for (const { run_id } of [running, waiting]) {
    expect((await client.runs.get(thread_id, run_id)).status).toBe('interrupted')
  }
})

test('rollback: the others are gone, with what they wrote', async () => {
  const { client } = server
  const { thread_id, running, waiting } = await busyThread()
  const options = { input: QUICK, multitaskStrategy: 'rollback' } as const
  const values = await client.runs.wait(thread_id, 'slow', options)
  expect(values).toMatchObject({ label: 'new', steps: ['first:1', 'new:1'] })
  for (const { run_id } of [running, waiting]) {
    await expect(client.runs.get(thread_id, run_id)).rejects.toThrow('HTTP 404')
  }
  const { metadata } = await client.threads.getState(thread_id)
  expect(metadata).toMatchObject({ step: 6 })
})

test.each(['interrupt', 'rollback'] as const)(
  '%s ends a run that has not begun, and the new one starts from before it',
  async (multitaskStrategy) => {
    const { client } = server
    const { thread_id } = await client.threads.create()
    const delayed = await client.runs.create(thread_id, 'slow', { input: LONG, afterSeconds: 600 })
    // With its head here, who waits is let in.
    const joined = await fetch(`${server.url}/threads/${thread_id}/runs/${delayed.run_id}/join`)
    expect(joined.status).toBe(200)
    const values = await client.runs.wait(thread_id, 'slow', { input: QUICK, multitaskStrategy })
    expect(values).toMatchObject({ steps: ['new:1'] })
    await joined.text()
    const status = await client.runs.get(thread_id, delayed.run_id).then(
      (run) => run.status,
      (error: Error) => error.message.slice(0, 8),
    )
    expect(status).toBe(multitaskStrategy === 'interrupt' ? 'interrupted' : 'HTTP 404')
  },
)

test('reject counts a run that has not begun, and takes a run when the thread is free', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const delayed = await client.runs.create(thread_id, 'slow', { input: LONG, afterSeconds: 600 })
  const options = { input: QUICK, multitaskStrategy: 'reject' } as const
  for (const ask of ['create', 'wait'] as const) {
    const refused = client.runs[ask](thread_id, 'slow', options)
    await expect(refused).rejects.toThrow('HTTP 409')
  }
  const streamed = client.runs.stream(thread_id, 'slow', options).next()
  await expect(streamed).rejects.toThrow('HTTP 409')
  expect(await client.runs.list(thread_id)).toHaveLength(1)
  await client.runs.cancel(thread_id, delayed.run_id, true)
  expect(await client.runs.wait(thread_id, 'slow', options)).toMatchObject({ label: 'new' })
})

test('a run without a strategy waits for those before it', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const run = await client.runs.create(thread_id, 'slow', { input: QUICK })
  expect(run.multitask_strategy).toBe('enqueue')
})

test('of runs that supersede one another at the same time the last one stays', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const options = { input: QUICK, multitaskStrategy: 'rollback' } as const
  const ask = () => client.runs.create(thread_id, 'slow', { ...options, afterSeconds: 600 })
  await Promise.all(Array.from({ length: 10 }, ask))
  expect(await client.runs.list(thread_id)).toHaveLength(1)
})
