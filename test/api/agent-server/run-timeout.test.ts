import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../../../src/telemetry/log.ts'
import { held } from '../../fixtures/projects/runs/graph.ts'
import { type RunningAgentServer, startAgentServer } from '../../support/agent-server.ts'
import { eventually } from '../../support/eventually.ts'

/** Many times what a run takes that does not wait. */
const LIMIT_MS = 1_500

const lines: { msg: string }[] = []
let server: RunningAgentServer

beforeAll(async () => {
  const log = createLog('error', { write: (line: string) => void lines.push(JSON.parse(line)) })
  server = await startAgentServer({ projectName: 'runs', runTimeoutMs: LIMIT_MS, log })
})
afterAll(() => server.stop())

const ERROR = {
  error: 'TimeoutError',
  message: 'The run took longer than the 1.5 s that a run may take.',
}

test('a run that takes too long ends as a timeout, and its code is told', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const { run_id } = await client.runs.create(thread_id, 'hold', { input: {} })
  expect(await client.runs.join(thread_id, run_id)).toEqual({ __error__: ERROR })
  const err = { type: ERROR.error, message: ERROR.message }
  await eventually(() => lines).toMatchObject([{ msg: 'the run failed', run_id, thread_id, err }])
  expect(held.get(run_id)).toBe('done')
  expect(await client.runs.get(thread_id, run_id)).toMatchObject({
    status: 'timeout',
    cancel_reason: null,
    stop_outcome: 'stopped',
  })
  expect(await client.threads.get(thread_id)).toMatchObject({
    status: 'error',
    error: `TimeoutError: ${ERROR.message}`,
    values: { trail: ['begin'] },
  })
})

test('one whose code goes on is cut off, and the thread takes the next run', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const { run_id } = await client.runs.create(thread_id, 'hold', { input: { lateMs: 3_000 } })
  const values = await client.runs.wait(thread_id, 'steps', { input: {} })
  expect(values).toMatchObject({ trail: ['begin', 'a', 'b', 'c'] })
  expect(await client.runs.get(thread_id, run_id)).toMatchObject({
    status: 'timeout',
    stop_outcome: 'cut_off',
  })
  expect(held.get(run_id)).toBe('left')
})

test('its stream ends with the error', async () => {
  const answer = await fetch(`${server.url}/runs/stream`, {
    method: 'POST',
    body: JSON.stringify({ assistant_id: 'hold', input: {} }),
  })
  expect(await answer.text()).toContain(`event: error\ndata: ${JSON.stringify(ERROR)}\n`)
})

test('the time that a run waits does not count', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const options = { input: {}, afterSeconds: LIMIT_MS / 1_000 }
  expect(await client.runs.wait(thread_id, 'steps', options)).toEqual({ trail: ['a', 'b', 'c'] })
})
