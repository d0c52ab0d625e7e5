/** The gateway's cost per request, against no gateway and against nginx. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Pool } from 'undici'
import { newKey } from '../../src/core/people/api-key.ts'
import { endTogether } from '../../test/support/processes/end-together.ts'
import { duration, rate } from '../clock.ts'
import { cpuPerWork } from '../cpu.ts'
import { NO_NGINX, startNginx } from '../nginx.ts'
import type { OpenRow, Row } from '../row.ts'
import { temporaryFolder } from '../server.ts'

const CLIENTS = 32
const MS = 3000
/** Node compiles the gateway's code during some 20,000 requests; one client takes this long for them. */
const WARM_MS = 4000
const TIMES = 1500
const CPU_TIMES = 4000

const body = JSON.stringify({ input: { messages: [{ role: 'user', content: 'Hello' }] } })
/** A row without nginx says so in its title. */
const LEFT_OUT = NO_NGINX === undefined ? '' : ` (nginx left out: ${NO_NGINX})`

/** The hop is the difference of figure and floor. */
export const gatewayLatencyRow: Row = {
  name: 'gateway-latency',
  title: `median time of one request through the gateway${LEFT_OUT}`,
  unit: 'ms',
  pairs: 7,
  open: () => openHops((pool) => duration(pool, TIMES), 1),
}

export const gatewayThroughputRow: Row = {
  name: 'gateway-throughput',
  title: `requests a second through the gateway, ${CLIENTS} clients${LEFT_OUT}`,
  unit: 'requests/s',
  pairs: 7,
  open: () => openHops((work) => rate(work, { clients: CLIENTS, ms: MS }), CLIENTS),
}

/** More reliable than the other rows when other programs use the machine. */
export const gatewayCpuRow: Row = {
  name: 'gateway-cpu',
  title: `processor time of the gateway for a request, ${CLIENTS} clients${LEFT_OUT}`,
  unit: 'µs',
  pairs: 7,
  open: () =>
    openHops((work, pid) => cpuPerWork(work, { pid, clients: CLIENTS, times: CPU_TIMES }), CLIENTS),
}

type Measure = (work: () => Promise<void>, pid: number) => Promise<number>

async function openHops(measure: Measure, connections: number): Promise<OpenRow> {
  const folder = await temporaryFolder()
  const key = newKey()
  const target = await startHop('target')
  const gateway = await startHop('gateway', target.url, key)
  const nginx = NO_NGINX === undefined ? await startNginx(folder.path, target.url) : undefined
  const pools: Pool[] = []
  const through = async ({ url, pid }: Hop) => {
    const pool = new Pool(url, { connections })
    pools.push(pool)
    const work = () => call(pool, key)
    await rate(work, { clients: connections, ms: WARM_MS })
    return () => measure(work, pid)
  }
  const figure = await through(gateway)
  const floors = {
    'a direct call': await through(target),
    ...(nginx && { nginx: await through(nginx) }),
  }
  return {
    figure,
    floors,
    async close() {
      for (const pool of pools) await pool.destroy()
      for (const one of [nginx, gateway, target]) await one?.stop()
      await folder.remove()
    },
  }
}

async function call(pool: Pool, key: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-api-key': key }
  const response = await pool.request({ method: 'POST', path: '/runs/wait', headers, body })
  const text = await response.body.text()
  if (response.statusCode !== 200) throw new Error(`It answered ${response.statusCode}: ${text}`)
}

interface Hop {
  url: string
  pid: number
  stop(): Promise<void>
}

async function startHop(...args: string[]): Promise<Hop> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../hop.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  endTogether(child, 'SIGTERM')
  const exited = once(child, 'exit')
  const port = await firstLine(child)
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    async stop() {
      child.kill()
      await exited
    },
  }
}

async function firstLine({ stdout }: ChildProcess): Promise<number> {
  for await (const chunk of stdout ?? []) return Number(chunk)
  throw new Error('It ended before it listened.')
}
