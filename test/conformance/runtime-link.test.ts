/** Both channels between a driver and an agent server, each with a real process at the other end. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { ipcToAgent } from '../../src/link/conversation.ts'
import { DriverSocket } from '../../src/link/driver-socket.ts'
import { isMessage, type StartMessage } from '../../src/link/messages.ts'
import { startCuttingProxy } from '../support/agent/cutting-proxy.ts'
import { eventually } from '../support/eventually.ts'
import { endTogether } from '../support/processes/end-together.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { hear, type LinkWorld, testRuntimeLink } from './runtime-link.ts'

const AGENT = join(import.meta.dirname, '../fixtures/linked-agent.ts')
const TOKEN = 'the-token-of-the-gateway'

function startOf(secrets: Record<string, string>): StartMessage {
  const of = { deployment_id: 'd', deployment_name: 'd', revision_id: 'r' }
  return { type: 'start', ...of, secrets, gatewayToken: TOKEN }
}

function start(env: NodeJS.ProcessEnv, channel: 'ipc' | 'ignore'): ChildProcess {
  const child = spawn(process.execPath, [AGENT], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', channel],
  })
  endTogether(child, 'SIGKILL')
  return child
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

const codeOf = async (child: ChildProcess) => (await once(child, 'exit'))[0] as number | null

async function openIpcWorld(secrets: Record<string, string>): Promise<LinkWorld> {
  const child = start({}, 'ipc')
  child.send(startOf(secrets))
  return { link: ipcToAgent(child), exited: codeOf(child), close: () => end(child) }
}

testRuntimeLink('IPC', openIpcWorld)

it('tells over IPC all files of the project', async () => {
  const world = await openIpcWorld({})
  onTestFinished(world.close)
  const { talk, files } = hear(world)
  await talk.ready
  expect(files).toEqual(['/a.ts', '/b.ts'])
})

interface Served {
  child: ChildProcess
  url: string
  exited: Promise<number | null>
  close(): Promise<void>
}

/** An agent server that takes WebSockets, to which nobody is connected yet. */
async function serveAgent(secrets: Record<string, string> = {}): Promise<Served> {
  const dir = temporaryFolder()
  const file = join(dir, 'start.json')
  await writeFile(file, JSON.stringify(startOf(secrets)), { mode: 0o600 })
  const child = start({ RUNYARD_START_FILE: file }, 'ignore')
  const exited = codeOf(child)
  const lines = createInterface(child.stdout as NodeJS.ReadableStream)
  const [port] = (await once(lines, 'line')) as [string]
  const close = async () => {
    await end(child)
  }
  return { child, url: `http://127.0.0.1:${port}`, exited, close }
}

async function openSocketWorld(secrets: Record<string, string>): Promise<LinkWorld> {
  const { url, exited, close } = await serveAgent(secrets)
  const link = new DriverSocket({ url, token: TOKEN })
  link.start()
  return {
    link,
    exited,
    async close() {
      link.stop()
      await close()
    },
  }
}

testRuntimeLink('a WebSocket', openSocketWorld)

describe('the link over a WebSocket', () => {
  let agent: Served
  const links: DriverSocket[] = []
  const connect = (options: Partial<ConstructorParameters<typeof DriverSocket>[0]> = {}) => {
    const link = new DriverSocket({ url: agent.url, token: TOKEN, ...options })
    link.start()
    links.push(link)
    return link
  }
  beforeEach(async () => {
    agent = await serveAgent()
  })
  afterEach(async () => {
    for (const link of links.splice(0)) link.stop()
    await agent.close()
  })

  it('tells a driver that comes back all that it has told before', async () => {
    const first = connect()
    await hear({ link: first, exited: agent.exited }).talk.activate()
    first.stop()
    const again = hear({ link: connect(), exited: agent.exited })
    expect(await again.talk.ready).toMatchObject({ has_own_auth: true })
    await eventually(() => again.loads.at(-1)?.running).toBe(1)
  })

  it('connects again by itself, and asks again what it has no answer to', async () => {
    const proxy = await startCuttingProxy(agent.url)
    const seen: boolean[] = []
    const onConnection = () => void seen.push(link.isOpen)
    const link: DriverSocket = connect({ url: proxy.url, onConnection })
    const { talk } = hear({ link, exited: agent.exited })
    await talk.ready
    const connected = new Promise<void>((resolve) =>
      link.onMessage((message) => isMessage(message, 'ready') && resolve()),
    )
    // Nothing comes through any more, and the question is asked into that.
    proxy.cut()
    const drained = talk.drain({ graceMs: 5, checkpointMs: 6 })
    await connected
    expect(seen).toEqual([true, false, true])
    expect(await drained).toBe(4711)
    await proxy.stop()
  })

  it('tells two drivers at once, and obeys both', async () => {
    const both = [connect(), connect()].map((link) => hear({ link, exited: agent.exited }))
    const [one, two] = both as [(typeof both)[0], (typeof both)[0]]
    await Promise.all([one.talk.ready, two.talk.ready])
    expect(await one.talk.inspect()).toMatchObject({ parked: 3 })
    await two.talk.activate()
    await eventually(() => one.loads.at(-1)?.running).toBe(1)
  })

  it('refuses whoever does not have the token, and does not try again', async () => {
    const refused = new Promise<void>((resolve) =>
      connect({ token: 'guessed', onRefused: resolve }),
    )
    await refused
    const { talk } = hear({ link: connect(), exited: agent.exited })
    expect(await talk.inspect()).toMatchObject({ parked: 3 })
  })

  it('refuses what the gateway has passed on, which carries the token too', async () => {
    const headers = { 'x-runyard-gateway': TOKEN, 'x-forwarded-for': '203.0.113.7' }
    const socket = new WebSocket(`${agent.url.replace('http', 'ws')}/internal/runtime`, { headers })
    const [code] = await once(socket, 'close')
    expect(code).toBe(4403)
  })

  it('answers a request that is no WebSocket, and 503 for all else before it is ready', async () => {
    const headers = { 'x-runyard-gateway': TOKEN }
    expect((await fetch(`${agent.url}/internal/runtime`, { headers })).status).toBe(426)
    expect((await fetch(`${agent.url}/internal/runtime`)).status).toBe(403)
    expect((await fetch(`${agent.url}/ok`, { headers })).status).toBe(503)
  })

  it('lets an agent server go on when its driver is gone', async () => {
    const link = connect()
    await hear({ link, exited: agent.exited }).talk.ready
    link.stop()
    expect(await hear({ link: connect(), exited: agent.exited }).talk.inspect()).toBeDefined()
    expect(agent.child.exitCode).toBeNull()
  })
})
