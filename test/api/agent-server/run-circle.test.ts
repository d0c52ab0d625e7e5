import { describe, expect, it } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { eventually } from '../../support/eventually.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(() => startAgentServer({ projectName: 'circle' }))

async function createThread(): Promise<string> {
  return (await server.client.threads.create()).thread_id
}

/** What becomes of a run on the first of the threads that calls a run on the next one, and so on. */
async function call(by: string, [first = '', ...path]: string[]): Promise<unknown> {
  const { runs } = server.client
  const input = { by, path, url: server.url }
  const { run_id } = await runs.create(first, 'caller', { input })
  const values = await runs.join(first, run_id)
  return { ...values, status: (await runs.get(first, run_id)).status }
}

/** The SDK for Python says what was answered in a note of its error, not in the message. */
const REFUSED = /neither would end|409 Conflict/
const CIRCLE = { status: 'error', __error__: { message: expect.stringMatching(REFUSED) } }

describe.each(['remote', 'wait', 'stream', 'join'])('a graph that waits by %s', (by) => {
  it('for a run on its own thread is refused', async () => {
    const own = await createThread()
    expect(await call(by, [own, own])).toMatchObject(CIRCLE)
    // One that was added before it was joined follows.
    const waiting = () => server.client.runs.list(own, { status: 'pending' })
    await eventually(waiting).toEqual([])
  })

  it('for one on another thread gets it', async () => {
    const threads = [await createThread(), await createThread(), await createThread()]
    expect(await call(by, threads)).toMatchObject({
      status: 'success',
      result: expect.stringMatching(/^called: /),
    })
  })
})

it.each(['remote', 'wait', 'stream'])('is refused through another thread, by %s', async (by) => {
  const [own, other] = [await createThread(), await createThread()]
  const { runs } = server.client
  const input = { by, path: [other, own], url: server.url }
  const { run_id } = await runs.create(own, 'caller', { input })
  await runs.join(own, run_id)
  const [last] = await runs.list(other)
  expect(last?.status).toBe('error')
  const { __error__ } = (await runs.join(other, String(last?.run_id))) as Record<string, unknown>
  expect(__error__).toMatchObject(CIRCLE.__error__)
})

it('may add a run to its own thread that nothing waits for', async () => {
  const own = await createThread()
  expect(await call('create', [own, own])).toMatchObject({ result: 'called: create' })
  const statuses = async () => (await server.client.runs.list(own)).map(({ status }) => status)
  await eventually(statuses).toEqual(['success', 'success'])
})
