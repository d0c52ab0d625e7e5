/** What the process costs in which Python graphs run, and what a crash costs. */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { graphHostsOf, residentMb } from '../../test/support/processes.ts'
import { PYTHON, peerName } from '../place.ts'
import {
  copyOfProject,
  PYTHON_PROJECT,
  pythonEnvironment,
  startLanggraphDev,
  startPythonGraph,
} from '../python.ts'
import type { OpenRow, Row } from '../row.ts'
import { startServer, temporaryFolder } from '../server.ts'

const SETTLE_MS = 3_000
const THREADS = 5

export const hostMemoryRow: Row = {
  name: 'host-memory',
  title: 'memory of an idle Python host',
  unit: 'MB',
  pairs: 3,
  open: openMemory,
}

export const lostRow: Row = {
  name: 'lost-python',
  title: `threads of ${THREADS} that kill -9 loses, each with a run that had ended`,
  unit: 'threads',
  pairs: 1,
  open: openLost,
}

async function openMemory(): Promise<OpenRow> {
  const data = await temporaryFolder()
  const { env } = await pythonEnvironment()
  const args = ['serve', '--data-dir', data.path]
  const server = await startServer(args, { cwd: PYTHON_PROJECT, env })
  const bare = await startPythonGraph('none')
  await delay(SETTLE_MS)
  const [host = 0] = graphHostsOf(server.pid)
  return {
    figure: async () => residentMb(host),
    floors: { 'the graph imported': async () => residentMb(bare.pid) },
    async close() {
      await server.stop()
      await bare.stop()
      await data.remove()
    },
  }
}

interface Killable {
  url: string
  kill(): Promise<void>
  stop(): Promise<void>
}

async function openLost(): Promise<OpenRow> {
  const data = await temporaryFolder()
  const copy = await copyOfProject()
  const { env } = await pythonEnvironment()
  const args = ['serve', '--data-dir', data.path]
  const start = () => startServer(args, { cwd: PYTHON_PROJECT, env })
  return {
    figure: () => lostBy(start),
    floors: { [peerName(PYTHON)]: () => lostBy(() => startLanggraphDev(copy.path)) },
    async close() {
      await data.remove()
      await copy.remove()
    },
  }
}

async function lostBy(start: () => Promise<Killable>): Promise<number> {
  const first = await start()
  const threads = Array.from({ length: THREADS }, () => randomUUID())
  for (const thread of threads) await runOn(first.url, thread)
  await first.kill()
  const second = await start()
  const states = await Promise.all(threads.map((thread) => stateOf(second.url, thread)))
  await second.stop()
  return states.filter((text) => !text.includes('echo: Hello')).length
}

async function runOn(url: string, thread_id: string): Promise<void> {
  const input = { messages: [{ role: 'user', content: 'Hello' }] }
  const response = await fetch(`${url}/threads/${thread_id}/runs/wait`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ assistant_id: 'echo', input, if_not_exists: 'create' }),
  })
  const answer = await response.text()
  if (!answer.includes('echo: Hello')) throw new Error(`${url} answered ${answer}.`)
}

async function stateOf(url: string, thread_id: string): Promise<string> {
  return (await fetch(`${url}/threads/${thread_id}/state`)).text()
}
