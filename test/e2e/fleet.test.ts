/** A fleet on one PostgreSQL: one `serve --role api`, and workers that come, die and go. */
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@langchain/langgraph-sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fixtureProject } from '../support/agent/agent-server.ts'
import { freshPostgres } from '../support/postgres/postgres.ts'
import { type ServeProcess, startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const COMMAND = new URL('../../bin/runyard', import.meta.url).pathname
const KEY = 'the-key-of-the-fleet'
/** Longer than a server that stops needs to see that a step was written. */
const STEP_MS = 1_000

let dataDir: string
let databaseUrl: string
let fleet: ServeProcess[]

beforeEach(async () => {
  dataDir = temporaryFolder()
  databaseUrl = await freshPostgres()
  fleet = []
})
afterEach(async () => {
  const gone = ({ process }: ServeProcess) =>
    process.exitCode ?? process.signalCode ?? once(process, 'exit')
  const ends = fleet.map(gone)
  for (const one of fleet) one.process.kill('SIGKILL')
  await Promise.all(ends)
})

function startRole(
  role: 'api' | 'worker',
  options?: { hasChannel: boolean },
): Promise<ServeProcess> {
  return start('echo', ['--role', role], options)
}

async function start(
  project: string,
  flags: string[],
  options?: { hasChannel: boolean },
): Promise<ServeProcess> {
  const args = [COMMAND, 'serve', '--port', '0', '--data-dir', dataDir, ...flags]
  const env = {
    RUNYARD_DATABASE_URL: databaseUrl,
    RUNYARD_API_KEYS: KEY,
    RUNYARD_LOG_LEVEL: 'silent',
  }
  const cwd = fixtureProject(project)
  const serving = await startServeProcess(process.execPath, args, { cwd, env, ...options })
  fleet.push(serving)
  return serving
}

function clientOf({ url }: ServeProcess): Client {
  return new Client({ apiUrl: url, apiKey: KEY, callerOptions: { maxRetries: 0 } })
}

/** What a stream tells: the attempts that begin, with the steps that each does. */
class Follower {
  readonly attempts: { attempt: number; steps: unknown[] }[] = []
  readonly #parts: AsyncIterator<{ event: string; data: unknown }>

  constructor(parts: AsyncIterable<{ event: string; data: unknown }>) {
    this.#parts = parts[Symbol.asyncIterator]()
  }

  /** Reads on until so many have begun and the last of them has done a step. */
  async until(count: number): Promise<void> {
    while (this.attempts.length < count || this.attempts.at(-1)?.steps.length === 0) {
      if (!(await this.#read())) throw new Error('The stream ended.')
    }
  }

  async rest(): Promise<void> {
    while (await this.#read()) {}
  }

  async #read(): Promise<boolean> {
    const { done, value } = await this.#parts.next()
    if (done) return false
    const { attempt, step } = value.data as { attempt?: number; step?: unknown }
    if (value.event === 'metadata') this.attempts.push({ attempt: Number(attempt), steps: [] })
    if (value.event === 'custom') this.attempts.at(-1)?.steps.push(step)
    return true
  }
}

test('runs go on when their worker dies or is stopped, and end when the api server is asked', async () => {
  const api = await startRole('api')
  const first = await startRole('worker')
  const client = clientOf(api)
  const { thread_id } = await client.threads.create()
  const input = { label: 'a', count: 600, ms: STEP_MS }
  const options = { input, streamMode: ['custom' as const], config: { recursion_limit: 1_000 } }
  const { run_id } = await client.runs.create(thread_id, 'slow', options)
  const joined = client.runs.join(thread_id, run_id)
  const stream = client.runs.joinStream(thread_id, run_id, { lastEventId: '-1' })
  const follower = new Follower(stream)
  await follower.until(1)

  const second = await startRole('worker')
  first.process.kill('SIGKILL')
  await follower.until(2)

  await startRole('worker')
  expect(await second.stop()).toBe(0)
  await follower.until(3)

  await client.runs.cancel(thread_id, run_id, true)
  await follower.rest()
  expect(await client.runs.get(thread_id, run_id)).toMatchObject({
    status: 'interrupted',
    attempt: 2,
  })
  // Who is stopped hands the run on, and has not lost it.
  const { attempts } = follower
  expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 2])
  const handedOn = attempts.slice(1).flatMap(({ steps }) => steps)
  expect(handedOn).toEqual(handedOn.map((_, index) => Number(handedOn[0]) + index))
  const { values } = await client.threads.getState<{ steps: string[] }>(thread_id)
  expect(values.steps).toEqual(values.steps.map((_, index) => `a:${index + 1}`))
  expect(await joined).toMatchObject({ label: 'a' })

  const next = await client.runs.wait(thread_id, 'slow', { input: { count: 1, ms: 1 } })
  expect(next).toMatchObject({ done: 1 })
})

test('a worker tells how it is, and that only', async () => {
  const { url, stop } = await startRole('worker')
  const get = async (path: string, key = '') => {
    const response = await fetch(`${url}${path}`, { headers: key ? { 'x-api-key': key } : {} })
    return { status: response.status, text: await response.text() }
  }
  expect(new URL(url).hostname).toBe('127.0.0.1')
  const text = '{"ok":true,"services":{"database":"healthy"}}'
  expect(await get('/ok?check_db=1')).toMatchObject({ status: 200, text })
  expect((await get('/metrics')).status).toBe(401)
  expect((await get('/metrics', KEY)).text).toContain('runyard_runs{status="waiting"} 0')
  for (const path of ['/assistants/agent', '/docs', '/threads/x/stream']) {
    const refused = { status: 404, text: expect.stringContaining('--role api') }
    expect(await get(path, KEY)).toMatchObject(refused)
  }
  expect(await stop()).toBe(0)
})

test('a worker that a process manager has a channel to listens all the same', async () => {
  const { url, stop } = await startRole('worker', { hasChannel: true })
  expect(await (await fetch(`${url}/ok`)).json()).toMatchObject({ ok: true })
  expect(await stop()).toBe(0)
})

test('two versions of a project share the database until the old one has ended', async () => {
  const blue = await start('versions', ['--config', 'blue.json'])
  const until = join(dataDir, 'enough')
  const { thread_id } = await clientOf(blue).threads.create()
  const input = { until, ms: STEP_MS }
  const options = { input, streamMode: ['custom' as const], config: { recursion_limit: 1_000 } }
  const { run_id } = await clientOf(blue).runs.create(thread_id, 'work', options)

  const green = await start('versions', ['--config', 'green.json'])
  const client = clientOf(green)
  const stream = client.runs.joinStream(thread_id, run_id, { lastEventId: '-1' })
  const follower = new Follower(stream)
  await follower.until(1)
  // Due a while after they were asked for, so that either may be the first to see them.
  const several = (from: ServeProcess, graph: string) => {
    const once = { input: { ms: 1 }, afterSeconds: 1 }
    const ask = () => clientOf(from).runs.wait(null, graph, once)
    return Promise.all(Array.from({ length: 10 }, ask))
  }
  const [removed, added] = await Promise.all([several(blue, 'removed'), several(green, 'added')])
  expect(removed).toEqual(removed.map(() => expect.objectContaining({ steps: ['blue'] })))
  expect(added).toEqual(added.map(() => expect.objectContaining({ steps: ['green'] })))

  expect(await blue.stop()).toBe(0)
  await follower.until(2)
  await writeFile(until, '')
  await follower.rest()
  const [onBlue = [], onGreen = []] = follower.attempts.map(({ steps }) => steps)
  expect(new Set(onBlue)).toEqual(new Set(['blue']))
  expect(new Set(onGreen)).toEqual(new Set(['green']))
  const run = await client.runs.get(thread_id, run_id)
  expect(run).toMatchObject({ status: 'success', attempt: 1 })
  const { values } = await client.threads.getState<{ steps: string[] }>(thread_id)
  expect(values.steps).toEqual([...onBlue, ...onGreen])
})
