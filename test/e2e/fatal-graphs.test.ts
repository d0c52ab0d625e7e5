/** A run that would take its process down ends alone: those beside it do not. */
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Client } from '@langchain/langgraph-sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { clientOf, fixtureProject } from '../support/agent/agent-server.ts'
import { type ServeProcess, startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const command = resolve(import.meta.dirname, '../../bin/runyard')

let dataDir: string
let serving: ServeProcess
let client: Client
let log: string
/** Runs may go on until it is there. */
let enough: string

beforeEach(async () => {
  dataDir = temporaryFolder()
  enough = join(dataDir, 'enough')
  log = ''
  await start()
})
afterEach(async () => {
  const { process } = serving
  const exited = process.exitCode ?? process.signalCode ?? once(process, 'exit')
  process.kill('SIGKILL')
  await exited
})

async function start(): Promise<void> {
  const args = [command, 'serve', '--port', '0', '--data-dir', dataDir]
  serving = await startServeProcess(process.execPath, args, {
    cwd: fixtureProject('fatal'),
    env: { RUNYARD_LOG_LEVEL: 'warn' },
  })
  client = clientOf(serving.url)
  serving.process.stderr?.on('data', (chunk) => {
    log += chunk
  })
}

async function begin(act: string) {
  const { thread_id } = await client.threads.create()
  const input = { act, until: enough }
  const { run_id } = await client.runs.create(thread_id, 'fatal', { input })
  return { run_id, thread_id }
}

/** Status and error of the run, once it has ended, and its attempts. */
async function endOf({ run_id, thread_id }: { run_id: string; thread_id: string }) {
  await client.runs.join(thread_id, run_id).catch(() => {})
  const run = await client.runs.get(thread_id, run_id)
  const thread = await client.threads.get(thread_id)
  const { status, attempt } = run as typeof run & { attempt: number }
  return { status, attempt, error: thread.error as unknown }
}

/** The status of the run, on a server that is started again, after `onDeath`, whenever it has died. */
async function statusKeptUp(
  { run_id, thread_id }: { run_id: string; thread_id: string },
  onDeath: () => Promise<void>,
) {
  const { exitCode, signalCode } = serving.process
  if (exitCode !== null || signalCode !== null) {
    await onDeath()
    // It may die again before it has said that it is ready.
    await start().catch(() => {})
  }
  const asked = await fetch(`${serving.url}/threads/${thread_id}/runs/${run_id}`).catch(() => {})
  return ((await asked?.json().catch(() => {})) as { status?: string } | undefined)?.status
}

test('what a run throws outside of its nodes, or its call of process.exit, ends it alone', async () => {
  const acts = ['timer', 'emitter', 'promise', 'exit', 'lateExit', 'kill']
  const innocent = await begin('wait')
  const guilty = await Promise.all(acts.map((act) => begin(act)))
  const ends = await Promise.all(guilty.map(endOf))
  const thrown = ['a timer', 'an emitter', 'a promise'].map(
    (where) => `RangeError: out of ${where}`,
  )
  const calls = ['exit(7)', 'exit(7)', 'kill('].map((call) => `ProcessEnd: process.${call}`)
  const expected = [...thrown, ...calls].map((error) => ({
    status: 'error',
    attempt: 1,
    error: expect.stringContaining(error),
  }))
  expect(ends).toMatchObject(expected)
  await writeFile(enough, '')
  expect(await endOf(innocent)).toMatchObject({ status: 'success', attempt: 1 })
  for (const { run_id, thread_id } of guilty) {
    const line = new RegExp(`"level":"error".*"thread_id":"${thread_id}","run_id":"${run_id}"`)
    await expect.poll(() => log).toMatch(line)
  }
})

test('of the runs beside one that kills its process only that one ends in error, as the last alone', async () => {
  const innocents = [await begin('wait'), await begin('wait')]
  const guilty = await begin('die')
  let deaths = 0
  // They are at work beside the guilty one twice; each is alone after that.
  const onDeath = async () => {
    deaths += 1
    if (deaths === 2) await writeFile(enough, '')
  }
  await expect.poll(() => statusKeptUp(guilty, onDeath), { timeout: 200_000 }).toBe('error')
  expect(await endOf(guilty)).toMatchObject({
    status: 'error',
    attempt: 3,
    error: expect.stringMatching(
      /RunAttemptsExhausted: .*3 times.*no other run executed beside it/,
    ),
  })
  for (const innocent of innocents) {
    expect(await endOf(innocent)).toMatchObject({ status: 'success', attempt: 3 })
  }
  const late = await begin('nothing')
  expect(await endOf(late)).toMatchObject({ status: 'success', attempt: 1 })
})

test('a node that blocks the event loop is told of while it does', async () => {
  const { run_id, thread_id } = await begin('block')
  const lines = () => log.split('\n').filter((line) => line.includes('the event loop is blocked'))
  // Where the processor is busy it may be told a second time before the place is known.
  const place = () => JSON.parse(lines().find((line) => line.includes('"at":')) ?? '{}')
  await expect.poll(place).toMatchObject({ level: 'error', run_id, thread_id, node: 'do' })
  expect(place().at).toContainEqual(expect.stringMatching(/block \(.*fatal\/graph\.ts:[\d:]+\)$/))
  await writeFile(enough, '')
  expect(await endOf({ run_id, thread_id })).toMatchObject({ status: 'success', attempt: 1 })
})
