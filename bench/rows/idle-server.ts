/** The memory of an agent server after some time without requests, or before any. */
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { Pool } from 'undici'
import { endTogether } from '../../test/support/processes/end-together.ts'
import { GATEWAY } from '../../test/support/processes/managed-serve.ts'
import { residentMb } from '../../test/support/processes/processes.ts'
import { bundleEcho } from '../bundled.ts'
import type { OpenRow, Row } from '../row.ts'
import { benchProject, type Server, startServer, stoppable, temporaryFolder } from '../server.ts'
import { input, waitForRun } from './runs.ts'

/** Until then an idle process has released its spare memory (`process/heap.ts`). */
const SETTLE_MS = 30_000
/** After these runs, everything that is loaded on first use is loaded. */
const RUNS = 20
/** How `serve` loads a project's TypeScript. */
const TSX = resolve(import.meta.dirname, '../../node_modules/tsx/dist/esm/index.mjs')

export const serveMemoryRow: Row = {
  name: 'serve-memory',
  title: 'memory of an idle serve, from the sources',
  unit: 'MB',
  pairs: 3,
  open: openServe,
}

export const deployedMemoryRow: Row = {
  name: 'deployed-memory',
  title: 'memory of an idle deployment, bundled',
  unit: 'MB',
  pairs: 3,
  open: openDeployed,
}

export const usedMemoryRow: Row = {
  name: 'used-memory',
  title: `memory of a deployment, bundled, that is idle after ${RUNS} runs`,
  unit: 'MB',
  pairs: 3,
  open: openUsed,
}

async function openServe(): Promise<OpenRow> {
  const data = await temporaryFolder()
  const cwd = benchProject('echo')
  const graph = pathToFileURL(join(cwd, 'graph.ts')).href
  return {
    figure: async () => idleMb(await startServer(['serve', '--data-dir', data.path], { cwd })),
    floors: {
      'the graph imported': async () =>
        idleMb(runScript(`await import('${graph}')`, ['--import', TSX])),
    },
    close: data.remove,
  }
}

async function openDeployed(): Promise<OpenRow> {
  const { project, load } = await openBundle()
  return {
    figure: async () => idleMb(await project.start()),
    floors: { 'the same bundle imported': async () => idleMb(runScript(load, [])) },
    close: project.remove,
  }
}

async function openUsed(): Promise<OpenRow> {
  const { project, load } = await openBundle()
  const invoke = `${load}; for (let i = 0; i < ${RUNS}; i++) await echo.invoke(${JSON.stringify(input)})`
  return {
    async figure() {
      const server = await project.start()
      const pool = new Pool(server.url)
      for (let i = 0; i < RUNS; i += 1) await waitForRun(pool, GATEWAY)
      await pool.close()
      return idleMb(server)
    },
    floors: { 'the same bundle, invoked as often': async () => idleMb(runScript(invoke, [])) },
    close: project.remove,
  }
}

/** `load`: a script that imports it. */
async function openBundle() {
  const project = await bundleEcho()
  // Node writes its compile cache when a process ends: later starts all use it.
  await (await project.start()).stop()
  const { href } = pathToFileURL(project.bundlePath)
  const load = `const { modules } = await import('${href}'); const { echo } = await modules['graph.ts'].load()`
  return { project, load }
}

async function idleMb({ pid, stop }: Pick<Server, 'pid' | 'stop'>): Promise<number> {
  await delay(SETTLE_MS)
  const memory = residentMb(pid)
  await stop()
  return memory
}

/** A Node process that runs the script and waits. */
function runScript(script: string, args: string[]): Pick<Server, 'pid' | 'stop'> {
  const all = [...args, '--input-type=module', '--eval', `${script}; setInterval(() => {}, 60_000)`]
  const child = spawn(process.execPath, all, { stdio: ['ignore', 'inherit', 'inherit'] })
  endTogether(child, 'SIGTERM')
  return stoppable(child)
}
