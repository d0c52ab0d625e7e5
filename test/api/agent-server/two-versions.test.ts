/** Two versions of a project on one database, each with a graph that the other one lacks. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type RunningAgentServer,
  type StartOptions,
  startAgentServer,
} from '../../support/agent/agent-server.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Never, as far as a test goes, in ms. */
const NEVER_MS = 1e9

let now: number
let dataDir: string
let blue: RunningAgentServer
let green: RunningAgentServer

function start(version: 'blue' | 'green', options: StartOptions): Promise<RunningAgentServer> {
  const project = { projectName: 'versions', configName: `${version}.json` }
  return startAgentServer({ ...project, dataDir, clock: { now: () => now }, ...options })
}

beforeEach(async () => {
  now = Date.parse('2026-11-20T12:00:55.000Z')
  dataDir = temporaryFolder()
  blue = await start('blue', { role: 'api', cronPollMs: 5 })
  green = await start('green', { cronPollMs: NEVER_MS })
})
afterEach(async () => {
  await green.stop()
  await blue.stop()
})

test('a run of a graph that only the other version has is taken, and executed there', async () => {
  const values = await blue.client.runs.wait(null, 'added', { input: {} })
  expect(values).toMatchObject({ steps: ['green'] })
  const stream = blue.client.runs.stream(null, 'added', { input: {}, streamMode: 'custom' })
  const told: unknown[] = []
  for await (const { event, data } of stream) if (event === 'custom') told.push(data)
  expect(told).toEqual([{ step: 'green' }])
})

test('a cron of such a graph fires whichever version sees first that it is due', async () => {
  const { threads, crons, runs } = blue.client
  const { thread_id } = await threads.create()
  await crons.createForThread(thread_id, 'added', { schedule: '* * * * *', input: {} })
  now += 6_000
  const statuses = async () => (await runs.list(thread_id)).map(({ status }) => status)
  await eventually(statuses).toEqual(['success'])
})

test('a graph that no version has is not found', async () => {
  const refused = blue.client.runs.wait(null, 'nowhere', { input: {} })
  await expect(refused).rejects.toMatchObject({ status: 404 })
})

test('nor is one whose only server is gone', async () => {
  await green.stop()
  const refused = blue.client.runs.wait(null, 'added', { input: {} })
  await expect(refused).rejects.toMatchObject({ status: 404 })
})
