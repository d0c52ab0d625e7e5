/** `serve --workers N`: one process answers, N others execute. */
import { resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { clientOf, fixtureProject } from '../support/agent/agent-server.ts'
import { eventually } from '../support/eventually.ts'
import { endProcessesIn, processesIn } from '../support/processes/processes.ts'
import { type ServeProcess, startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const command = resolve(import.meta.dirname, '../../bin/runyard')

let dataDir: string
let serving: ServeProcess

beforeEach(async () => {
  dataDir = temporaryFolder()
  const args = [command, 'serve', '--port', '0', '--data-dir', dataDir, '--workers', '2']
  serving = await startServeProcess(process.execPath, args, {
    cwd: fixtureProject('echo'),
    env: { RUNYARD_LOG_LEVEL: 'silent' },
  })
})
afterEach(async () => {
  serving.process.kill('SIGKILL')
  await endProcessesIn(dataDir)
})

const workers = () =>
  processesIn(dataDir).filter(({ command }) => command.includes('--role worker'))

test('runs survive the death of their worker, which is started again; all end together', async () => {
  const client = clientOf(serving.url)
  const { thread_id } = await client.threads.create()
  // Long enough for a test that is held up between the first step and the kill.
  const input = { label: 'a', count: 12, ms: 1_000 }
  const stream = client.runs.stream(thread_id, 'slow', { input, streamMode: ['values', 'custom'] })
  const attempts: unknown[] = []
  const killed: number[] = []
  for await (const { event, data } of stream) {
    if (event === 'metadata') attempts.push((data as { attempt?: number }).attempt)
    if (event !== 'custom' || killed.length > 0) continue
    // Nobody but a worker executes it: whichever it is, it dies.
    for (const { pid } of workers()) {
      killed.push(pid)
      process.kill(pid, 'SIGKILL')
    }
  }
  expect(attempts).toEqual([1, 2])
  const { values } = await client.threads.getState<{ steps: string[] }>(thread_id)
  expect(values.steps).toEqual(Array.from({ length: 12 }, (_, index) => `a:${index + 1}`))
  await eventually(() => workers().length).toBe(2)
  expect(workers().some(({ pid }) => killed.includes(pid))).toBe(false)
  expect(await serving.stop()).toBe(0)
  expect(processesIn(dataDir)).toEqual([])
})
