/** The cost of an agent server itself: processor time, memory, and the gain of a second process. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Pool } from 'undici'
import { residentMb } from '../../test/support/processes/processes.ts'
import { bundleEcho } from '../bundled.ts'
import { rate, repeatedBy } from '../clock.ts'
import { cpuUs } from '../cpu.ts'
import { FLEET, openPlace, type Place, POSTGRES } from '../place.ts'
import type { OpenRow, Row } from '../row.ts'
import { benchProject, startServer, temporaryFolder } from '../server.ts'
import { waitForRun } from './runs.ts'

const CLIENTS = 16
const FIRST_RUNS = 5_000
const FURTHER_RUNS = 10_000
const RUNS = 1_000

/** Of one server: the figure is taken twice, after 10,000 and after 20,000 further runs. */
export const memoryRow: Row = {
  name: 'memory',
  title: `memory of serve after ${FURTHER_RUNS} and ${2 * FURTHER_RUNS} further runs, SQLite`,
  unit: 'MB',
  pairs: 2,
  open: openMemory,
}

export const workersRow: Row = {
  name: 'runs-workers',
  title: `runs/s of an echo graph, serve --workers 2, ${CLIENTS} clients, SQLite`,
  unit: 'runs/s',
  pairs: 5,
  open: openWorkers,
}

export const fleetCpuRow: Row = {
  name: 'runs-cpu-fleet',
  title: `processor time of 3 servers for a run, ${CLIENTS} clients, PostgreSQL`,
  unit: 'µs',
  pairs: 5,
  open: openFleetCpu,
}

export const startCpuRow: Row = {
  name: 'start-cpu',
  title: 'processor time until the agent server of a deployment is ready',
  unit: 'ms',
  pairs: 7,
  open: openStarts,
}

async function openMemory(): Promise<OpenRow> {
  const one = await startServing([])
  await one.run(FIRST_RUNS)
  const first = residentMb(one.pid)
  return {
    async figure() {
      await one.run(FURTHER_RUNS)
      return residentMb(one.pid)
    },
    floors: { [`after ${FIRST_RUNS} runs`]: async () => first },
    close: one.close,
  }
}

async function openWorkers(): Promise<OpenRow> {
  const two = await startServing(['--workers', '2'])
  const one = await startServing([])
  for (const { run } of [two, one]) await run(RUNS)
  return {
    figure: two.rate,
    floors: { 'one process': one.rate },
    async close() {
      await two.close()
      await one.close()
    },
  }
}

async function startServing(args: string[]) {
  const data = await temporaryFolder()
  const all = ['serve', '--data-dir', data.path, ...args]
  const server = await startServer(all, { cwd: benchProject('echo') })
  const pool = new Pool(server.url)
  const work = () => waitForRun(pool)
  return {
    pid: server.pid,
    run: (times: number) => repeatedBy(work, { clients: CLIENTS, times }),
    rate: () => rate(work, { clients: CLIENTS, ms: 2_000 }),
    async close() {
      await pool.destroy()
      await server.stop()
      await data.remove()
    },
  }
}

async function openFleetCpu(): Promise<OpenRow> {
  const [three, one] = [await openCpu(FLEET), await openCpu(POSTGRES)]
  return {
    figure: three.measure,
    floors: { 'one server': one.measure },
    async close() {
      await three.close()
      await one.close()
    },
  }
}

async function openCpu(place: Place) {
  const { pids, next, close } = await openPlace(place)
  const used = () => pids.reduce((sum, pid) => sum + cpuUs(pid), 0)
  const measure = async () => {
    const before = used()
    await repeatedBy(() => waitForRun(next()), { clients: CLIENTS, times: RUNS })
    return (used() - before) / RUNS
  }
  await measure()
  return { measure, close }
}

/** Against a Node process that imports the same graph from its sources and ends. */
async function openStarts(): Promise<OpenRow> {
  const project = await bundleEcho()
  const start = async () => {
    const { pid, stop } = await project.start()
    const taken = cpuUs(pid) / 1000
    await stop()
    return taken
  }
  await start()
  return {
    figure: start,
    floors: { 'the graph imported': () => importGraph(join(project.path, 'graph.ts')) },
    close: project.remove,
  }
}

async function importGraph(path: string): Promise<number> {
  const script = `await import(${JSON.stringify(path)}); const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)`
  const args = ['--input-type=module', '-e', script]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return Number(stdout)
}
