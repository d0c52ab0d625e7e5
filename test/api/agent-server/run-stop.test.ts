import { expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { closedGate } from '../../support/agent/gate.ts'
import { held } from '../../support/agent/held.ts'
import { eventually } from '../../support/eventually.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(() => startAgentServer({ projectName: 'runs' }))
/** It hardly waits for code that it has asked to stop. */
const hasty = forAllTests(() => startAgentServer({ projectName: 'runs', abortLimitMs: 100 }))

/** A run whose node works until its signal aborts, and then until the gate, if there is one, is open. */
async function working(gate?: string, { client } = server) {
  const { thread_id } = await client.threads.create()
  const input = gate === undefined ? {} : { gate }
  const { run_id } = await client.runs.create(thread_id, 'hold', { input })
  await eventually(() => held(run_id)).toBe('working')
  return { thread_id, run_id }
}

function cancel(
  { thread_id, run_id }: { thread_id: string; run_id: string },
  query: string,
  { url } = server,
) {
  const path = `/threads/${thread_id}/runs/${run_id}/cancel`
  return fetch(`${url}${path}?${query}`, { method: 'POST' })
}

test('a graph that heeds its signal has ended when a cancel that waits is answered', async () => {
  const gate = await closedGate()
  const run = await working(gate.path)
  let isOpen = false
  const cancelled = cancel(run, 'wait=1').then(({ status }) => ({ status, isOpen }))
  await eventually(() => held(run.run_id)).toBe('left')
  isOpen = true
  gate.open()
  expect(await cancelled).toEqual({ status: 204, isOpen: true })
  expect(held(run.run_id)).toBe('done')
  expect(await server.client.runs.get(run.thread_id, run.run_id)).toMatchObject({
    status: 'interrupted',
    cancel_reason: 'requested: it was cancelled through the API',
    stop_outcome: 'stopped',
  })
})

test('the next run begins when the code of the one before has ended', async () => {
  const { client } = server
  const gate = await closedGate()
  const run = await working(gate.path)
  const options = { input: {}, multitaskStrategy: 'interrupt' } as const
  const { run_id } = await client.runs.create(run.thread_id, 'steps', options)
  await eventually(() => held(run.run_id)).toBe('left')
  const openedAt = Date.now()
  gate.open()
  await client.runs.join(run.thread_id, run_id)
  expect(held(run.run_id)).toBe('done')
  const timeline = await fetch(`${server.url}/threads/${run.thread_id}/runs/${run_id}/timeline`)
  const { started_at } = (await timeline.json()) as { started_at: number }
  expect(started_at).toBeGreaterThanOrEqual(openedAt)
})

test('one that goes on is cut off from its thread, and the run says so', async () => {
  const { client } = hasty
  const gate = await closedGate()
  const run = await working(gate.path, hasty)
  expect((await cancel(run, 'wait=1', hasty)).status).toBe(204)
  // The code itself may hear of it later than the server has given it up.
  await eventually(() => held(run.run_id)).toBe('left')
  expect(await client.runs.get(run.thread_id, run.run_id)).toMatchObject({
    status: 'interrupted',
    stop_outcome: 'cut_off',
  })
  const values = await client.runs.wait(run.thread_id, 'steps', { input: {} })
  expect(values).toMatchObject({ trail: ['begin', 'a', 'b', 'c'] })
  gate.open()
  await eventually(() => held(run.run_id)).toBe('done')
  expect(await client.threads.getState(run.thread_id)).toMatchObject({
    values: { trail: ['begin', 'a', 'b', 'c'] },
  })
})

test('a cancel that does not wait is answered before', async () => {
  const gate = await closedGate()
  const run = await working(gate.path)
  expect((await cancel(run, 'wait=0')).status).toBe(202)
  gate.open()
  await server.client.runs.join(run.thread_id, run.run_id)
})

test('reason=taken is what the run then says', async () => {
  const { runs } = server.client
  const run = await working()
  expect((await cancel(run, 'wait=1&reason=taken')).status).toBe(204)
  const { thread_id, run_id } = run
  expect(await runs.get(thread_id, run_id)).toMatchObject({
    cancel_reason: expect.stringMatching(/^taken: /),
  })
  expect((await cancel(run, 'reason=taken&action=rollback')).status).toBe(422)
  expect((await cancel(run, 'reason=other')).status).toBe(422)
})

test('a run that was superseded, or whose client left, says so', async () => {
  const { client } = server
  const { thread_id, run_id } = await working()
  const newer = await client.runs.create(thread_id, 'steps', {
    input: {},
    multitaskStrategy: 'interrupt',
  })
  await client.runs.join(thread_id, newer.run_id)
  expect(await client.runs.get(thread_id, run_id)).toMatchObject({
    status: 'interrupted',
    cancel_reason: expect.stringMatching(new RegExp(`^superseded: run ${newer.run_id}`)),
    stop_outcome: 'stopped',
  })
  expect(await client.runs.get(thread_id, newer.run_id)).toMatchObject({
    cancel_reason: null,
    stop_outcome: null,
  })
})

test('a rollback that comes while the run is stopping for less counts', async () => {
  const gate = await closedGate()
  const run = await working(gate.path)
  await cancel(run, 'action=interrupt')
  await cancel(run, 'action=rollback')
  gate.open()
  const found = () =>
    server.client.runs.get(run.thread_id, run.run_id).then(({ status }) => status, String)
  await eventually(found).toContain('HTTP 404')
  expect(await server.client.threads.getState(run.thread_id)).toMatchObject({ values: {} })
})

test('a run that waits ends without having begun', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const { run_id } = await client.runs.create(thread_id, 'steps', { input: {}, afterSeconds: 600 })
  expect((await cancel({ thread_id, run_id }, 'wait=1')).status).toBe(204)
  expect(await client.runs.get(thread_id, run_id)).toMatchObject({
    status: 'interrupted',
    cancel_reason: expect.stringMatching(/^requested: /),
    stop_outcome: null,
  })
})

test('an interrupted run leaves a failed thread as failed as it was', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const tooShort = { input: {}, config: { recursion_limit: 1 }, raiseError: false }
  await client.runs.wait(thread_id, 'steps', tooShort)
  const { error } = (await client.threads.get(thread_id)) as unknown as { error: string }
  expect(error).toBeTruthy()
  const { run_id } = await client.runs.create(thread_id, 'steps', { input: {}, afterSeconds: 600 })
  await client.runs.cancel(thread_id, run_id, true, 'rollback')
  expect(await client.threads.get(thread_id)).toMatchObject({ status: 'error', error })
})
