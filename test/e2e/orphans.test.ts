/** An agent server whose graph blocks it and has started a process, when its owner is killed. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { endProcessesIn, processesIn } from '../support/processes/processes.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = resolve(import.meta.dirname, '../..')

const MARKER = 'started-by-the-graph'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(async () => {
  await endProcessesIn(folder)
})

it.runIf(process.platform === 'linux')('ends with all it started (read from /proc)', async () => {
  const config = join(root, 'test/fixtures/projects/stubborn/langgraph.json')
  const args = [join(root, 'bin/runyard'), config, folder]
  const owner = fork(join(root, 'test/fixtures/serve-owner.js'), args, { execArgv: [] })
  const [ready] = (await once(owner, 'message')) as [{ url: string; token: string }]
  const headers = { 'content-type': 'application/json', 'x-runyard-gateway': ready.token }
  const input = { marker: join(folder, MARKER) }
  const body = JSON.stringify({ assistant_id: 'block', input })
  const run = fetch(`${ready.url}/runs/wait`, { method: 'POST', headers, body })
    .then((response) => response.text())
    .catch(() => 'cut')
  const isBlocking = () => processesIn(folder).some(({ command }) => command.includes(MARKER))
  await expect.poll(isBlocking).toBe(true)

  owner.kill('SIGKILL')
  await expect.poll(() => processesIn(folder)).toEqual([])
  expect(await run).toBe('cut')
})
