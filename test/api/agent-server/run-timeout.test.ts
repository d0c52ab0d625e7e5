import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../../../src/telemetry/log.ts'
import { type RunningAgentServer, startAgentServer } from '../../support/agent/agent-server.ts'
import { held } from '../../support/agent/held.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Many times what a run takes that does not wait, on a busy machine too. All that waits so long begins at once. */
const LIMIT_MS = 8_000

const lines: { msg: string; run_id?: string }[] = []
let server: RunningAgentServer
/** Waits hardly for code that it has told to stop. */
let hasty: RunningAgentServer
/** Of a gate that nobody opens. */
const folder = temporaryFolder()

interface Begun {
  thread_id: string
  run_id: string
}

let stopping: Begun
let goingOn: Begun
let streamed: Promise<string>
let delayed: Promise<unknown>

beforeAll(async () => {
  const log = createLog('error', { write: (line: string) => void lines.push(JSON.parse(line)) })
  const limited = { projectName: 'runs', runTimeoutMs: LIMIT_MS }
  server = await startAgentServer({ ...limited, log })
  hasty = await startAgentServer({ ...limited, abortLimitMs: 100 })
  stopping = await begin(server, {})
  goingOn = await begin(hasty, { gate: join(folder, 'gate') })
  streamed = stream()
  const { thread_id } = await server.client.threads.create()
  const options = { input: {}, afterSeconds: LIMIT_MS / 1_000 }
  delayed = server.client.runs.wait(thread_id, 'steps', options)
})
afterAll(async () => {
  await hasty.stop()
  await server.stop()
})

async function begin({ client }: RunningAgentServer, input: object): Promise<Begun> {
  const { thread_id } = await client.threads.create()
  const { run_id } = await client.runs.create(thread_id, 'hold', { input: input as never })
  return { thread_id, run_id }
}

async function stream(): Promise<string> {
  const body = JSON.stringify({ assistant_id: 'hold', input: {} })
  return (await fetch(`${server.url}/runs/stream`, { method: 'POST', body })).text()
}

const ERROR = {
  error: 'TimeoutError',
  message: 'The run took longer than the 8 s that a run may take.',
}

test('a run that takes too long ends as a timeout, and its code is told', async () => {
  const { client } = server
  const { thread_id, run_id } = stopping
  expect(await client.runs.join(thread_id, run_id)).toEqual({ __error__: ERROR })
  const err = { type: ERROR.error, message: ERROR.message }
  const told = () => lines.filter((line) => line.run_id === run_id)
  await eventually(told).toMatchObject([{ msg: 'the run failed', run_id, thread_id, err }])
  expect(held(run_id)).toBe('done')
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
  const { client } = hasty
  const { thread_id, run_id } = goingOn
  const values = await client.runs.wait(thread_id, 'steps', { input: {} })
  expect(values).toMatchObject({ trail: ['begin', 'a', 'b', 'c'] })
  expect(await client.runs.get(thread_id, run_id)).toMatchObject({
    status: 'timeout',
    stop_outcome: 'cut_off',
  })
  await eventually(() => held(run_id)).toBe('left')
})

test('its stream ends with the error', async () => {
  expect(await streamed).toContain(`event: error\ndata: ${JSON.stringify(ERROR)}\n`)
})

test('the time that a run waits does not count', async () => {
  expect(await delayed).toEqual({ trail: ['a', 'b', 'c'] })
})
