/** The cost of the process for Python graphs, and of its crash. */

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'
import { graphHostsOf, residentMb } from '../../test/support/processes/processes.ts'
import { repeatedBy } from '../clock.ts'
import { treeOf, workedNs } from '../cpu.ts'
import { PYTHON, peerName } from '../place.ts'
import {
  copyOfProject,
  PYTHON_PROJECT,
  pythonEnvironment,
  startLanggraphDev,
  startPythonGraph,
} from '../python.ts'
import type { OpenRow, Row } from '../row.ts'
import { type Server, startServer, temporaryFolder } from '../server.ts'
import { waitForRun } from './runs.ts'

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

/** Until then an idle process has released its spare memory (`process/heap.ts`). */
const IDLE_MS = 30_000
const RUNS = 5_000
const CLIENTS = 16

/** Server and host together, since users pay for both. */
export const wholeRows: Row[] = [
  {
    name: 'idle-memory-python',
    title: 'memory of an idle serve with a graph in Python, both processes',
    unit: 'MB',
    pairs: 1,
    open: () => openWhole(idleMb),
  },
  {
    name: 'used-memory-python',
    title: `the same after ${RUNS} runs`,
    unit: 'MB',
    pairs: 1,
    open: openUsed,
  },
  {
    name: 'idle-cpu-python',
    title: 'processor time of an idle serve with a graph in Python, both processes, of a core',
    unit: '%',
    pairs: 1,
    open: () => openWhole(idleShare),
  },
  {
    name: 'start-python',
    title: 'from the start of serve with a graph in Python to the answer of its first run',
    unit: 'ms',
    pairs: 5,
    open: openStart,
  },
]

type Whole = Pick<Server, 'url' | 'pid' | 'stop'>

async function openWhole(measure: (server: Whole) => Promise<number>): Promise<OpenRow> {
  const { start, startPeer, close } = await openProject()
  const measured = (begin: () => Promise<Whole>) => async () => {
    const server = await begin()
    const result = await measure(server)
    await server.stop()
    return result
  }
  return { figure: measured(start), floors: { [peerName(PYTHON)]: measured(startPeer) }, close }
}

/** The floor is the same server before its runs. */
async function openUsed(): Promise<OpenRow> {
  const { start, close } = await openProject()
  const server = await start()
  const idle = await idleMb(server)
  return {
    async figure() {
      const pool = new Pool(server.url)
      await repeatedBy(() => waitForRun(pool), { clients: CLIENTS, times: RUNS })
      await pool.close()
      return idleMb(server)
    },
    floors: { 'idle, before them': async () => idle },
    async close() {
      await server.stop()
      await close()
    },
  }
}

async function openStart(): Promise<OpenRow> {
  const { start, startPeer, close } = await openProject()
  const { python } = await pythonEnvironment()
  const answered = (begin: () => Promise<Whole>) => async () => {
    const from = performance.now()
    const server = await begin()
    const pool = new Pool(server.url)
    await waitForRun(pool)
    const taken = performance.now() - from
    await pool.close()
    await server.stop()
    return taken
  }
  const imported = async () => {
    const from = performance.now()
    const child = spawn(python, ['-c', 'import graph'], { cwd: PYTHON_PROJECT, stdio: 'inherit' })
    await once(child, 'exit')
    return performance.now() - from
  }
  const [figure, peer] = [answered(start), answered(startPeer)]
  // The first of each compiles, and fills its caches about the project.
  for (const warmUp of [figure, imported, peer]) await warmUp()
  const floors = { 'the graph imported': imported, [peerName(PYTHON)]: peer }
  return { figure, floors, close }
}

async function openProject() {
  const data = await temporaryFolder()
  const copy = await copyOfProject()
  const { env } = await pythonEnvironment()
  const args = ['serve', '--data-dir', data.path]
  return {
    start: (): Promise<Whole> => startServer(args, { cwd: PYTHON_PROJECT, env }),
    startPeer: (): Promise<Whole> => startLanggraphDev(copy.path),
    async close() {
      await data.remove()
      await copy.remove()
    },
  }
}

async function idleMb({ pid }: Whole): Promise<number> {
  await delay(IDLE_MS)
  return treeOf(pid).reduce((sum, one) => sum + residentMb(one), 0)
}

/** From the kernel's account of all threads, in ns. */
async function idleShare({ pid }: Whole): Promise<number> {
  await delay(IDLE_MS)
  const before = workedNs(pid)
  const from = performance.now()
  await delay(IDLE_MS)
  return ((workedNs(pid) - before) / 1e6 / (performance.now() - from)) * 100
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
