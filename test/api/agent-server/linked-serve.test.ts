/** `runyard serve --managed` that is no child of its driver: a start file, and a WebSocket to it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DriverSocket } from '../../../src/link/driver-socket.ts'
import type { StartMessage } from '../../../src/link/messages.ts'
import { hear } from '../../conformance/runtime-link.ts'
import { endTogether } from '../../support/processes/end-together.ts'
import { freePort } from '../../support/processes/free-port.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const PROJECTS = join(ROOT, 'test/fixtures/projects')
const TOKEN = 'the-token-of-the-gateway'

let dir: string
let child: ChildProcess | undefined
let output: string
beforeEach(() => {
  dir = temporaryFolder()
})
afterEach(async () => {
  if (child && child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
})

async function serve(config: string, startFile: string) {
  const file = join(dir, 'start.json')
  await writeFile(file, startFile, { mode: 0o600 })
  const port = await freePort()
  const where = ['--host', '127.0.0.1', '--port', `${port}`, '--data-dir', join(dir, 'data')]
  const args = ['serve', '--managed', '--config', join(PROJECTS, config), ...where]
  child = spawn(process.execPath, [join(ROOT, 'bin/runyard'), ...args], {
    env: { ...process.env, RUNYARD_START_FILE: file },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endTogether(child, 'SIGKILL')
  output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  const exited = once(child, 'close').then(([code]) => code as number | null)
  return { exited, url: `http://127.0.0.1:${port}` }
}

function startOf(more: Partial<StartMessage> = {}): string {
  const of = { deployment_id: 'd', deployment_name: 'd', revision_id: 'r' }
  return JSON.stringify({ type: 'start', ...of, secrets: {}, gatewayToken: TOKEN, ...more })
}

it('serves the project, is driven over its own port, and ends at the word of the driver', async () => {
  const { url, exited } = await serve('echo/langgraph.json', startOf({ isStandby: true }))
  const link = new DriverSocket({ url, token: TOKEN })
  link.start()
  const { talk } = hear({ link, exited })
  await talk.ready
  await talk.activate()
  const run = await fetch(`${url}/runs/wait`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-runyard-gateway': TOKEN },
    body: JSON.stringify({ assistant_id: 'agent', input: { messages: ['hello'] } }),
  })
  expect(JSON.stringify(await run.json())).toContain('echo: hello')
  expect((await fetch(`${url}/threads/search`, { method: 'POST' })).status).toBe(401)
  expect(await talk.measure()).toMatchObject({ runs: { success: 1 } })
  expect(await talk.drain({ graceMs: 1000, checkpointMs: 1000 })).toBeUndefined()
  link.send({ type: 'stop' })
  expect(await exited).toBe(0)
  link.stop()
}, 60_000)

it('goes on when somebody else ends it, until its driver releases it', async () => {
  const { url, exited } = await serve('echo/langgraph.json', startOf({ lingerMs: 600_000 }))
  const link = new DriverSocket({ url, token: TOKEN })
  link.start()
  const { talk } = hear({ link, exited })
  await talk.ready
  child?.kill('SIGTERM')
  await talk.measure()
  const run = await fetch(`${url}/runs/wait`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-runyard-gateway': TOKEN },
    body: JSON.stringify({ assistant_id: 'agent', input: { messages: ['hello'] } }),
  })
  expect(JSON.stringify(await run.json())).toContain('echo: hello')
  talk.release()
  expect(await exited).toBe(0)
  link.stop()
}, 60_000)

it('answers what is open before it ends, where its driver has another one answer', async () => {
  const { url, exited } = await serve('echo/langgraph.json', startOf({ lingerMs: 600_000 }))
  const link = new DriverSocket({ url, token: TOKEN })
  link.start()
  const { talk } = hear({ link, exited })
  await talk.ready
  const run = fetch(`${url}/runs/wait`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-runyard-gateway': TOKEN },
    body: JSON.stringify({ assistant_id: 'slow', input: { count: 3, ms: 3500 } }),
  })
  await expect.poll(async () => (await talk.measure())?.running, { timeout: 20_000 }).toBe(1)
  child?.kill('SIGTERM')
  talk.release(600_000)
  // Longer than the three seconds that runs have at other ends.
  expect(await (await run).json()).toMatchObject({ steps: ['run:1', 'run:2', 'run:3'] })
  expect(await exited).toBe(0)
  link.stop()
}, 60_000)

it('tells its driver, and its output, why it does not start', async () => {
  const { url, exited } = await serve('broken/throws.json', startOf())
  const link = new DriverSocket({ url, token: TOKEN })
  link.start()
  const { talk } = hear({ link, exited })
  expect(await exited).toBe(1)
  link.stop()
  expect(talk.failure).toMatch(/throws\.ts:\d+/)
  expect(output).toContain(talk.failure)
}, 60_000)

it.each([
  ['no JSON, with a secret', 'cannot be understood: it is no JSON'],
  [startOf({ gatewayToken: '' }), 'lacks gatewayToken'],
])(
  'refuses a start file that holds %s',
  async (text, why) => {
    const { exited } = await serve('echo/langgraph.json', text)
    expect(await exited).toBe(1)
    expect(output).toContain(why)
    expect(output).toContain('RUNYARD_START_FILE')
    expect(output).not.toContain('secret')
  },
  60_000,
)
