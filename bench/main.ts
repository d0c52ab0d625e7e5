/**
 * `npm run bench [-- ROW…]`: measures the named rows, or all, prints a table and writes
 * `bench/results/latest.json`, which keeps earlier results of other rows. The figures belong to one
 * machine at one time: only ratios can be compared.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { merge, type Reported, table } from './report.ts'
import { measure, type Row } from './row.ts'
import { bytesRows } from './rows/bytes.ts'
import { chatRows } from './rows/chats.ts'
import { claimRows } from './rows/claim.ts'
import { deployRow, redeployRow } from './rows/deploy.ts'
import { driverRows } from './rows/drivers.ts'
import { gatewayCpuRow, gatewayLatencyRow, gatewayThroughputRow } from './rows/gateway.ts'
import { idleCpuRow, idleMemoryRow } from './rows/idle.ts'
import { deployedMemoryRow, serveMemoryRow, usedMemoryRow } from './rows/idle-server.ts'
import { firstValuesRows, joinRows } from './rows/join.ts'
import { largeInputRows } from './rows/large-input.ts'
import { hostMemoryRow, lostRow, wholeRows } from './rows/python.ts'
import { crowdRow, joinedRow, pythonRunsRows, runsRows, waitRow } from './rows/runs.ts'
import { searchRows } from './rows/search.ts'
import { fleetCpuRow, memoryRow, startCpuRow, workersRow } from './rows/serve.ts'
import { stateRows } from './rows/state.ts'
import { streamRows } from './rows/streams.ts'
import { studioRows } from './rows/studio.ts'
import { wakeRow } from './rows/wake.ts'

const ROWS = [
  ...runsRows,
  ...pythonRunsRows,
  crowdRow,
  joinedRow,
  waitRow,
  workersRow,
  fleetCpuRow,
  memoryRow,
  ...joinRows,
  ...firstValuesRows,
  ...bytesRows,
  deployRow,
  redeployRow,
  wakeRow,
  startCpuRow,
  ...driverRows,
  gatewayLatencyRow,
  gatewayThroughputRow,
  gatewayCpuRow,
  idleMemoryRow,
  idleCpuRow,
  serveMemoryRow,
  deployedMemoryRow,
  usedMemoryRow,
  hostMemoryRow,
  lostRow,
  ...wholeRows,
  ...searchRows,
  ...stateRows,
  ...claimRows,
  ...largeInputRows,
  ...streamRows,
  ...chatRows,
  ...studioRows,
]

const results = join(import.meta.dirname, 'results')
const latest = join(results, 'latest.json')
const names = process.argv.slice(2)
const unknown = names.filter((name) => !ROWS.some((row) => row.name === name))
if (unknown.length > 0) {
  console.error(`There is no row ${unknown.join(', ')}; there are ${ROWS.map((row) => row.name)}.`)
  process.exit(2)
}

const measured: Reported[] = []
for (const row of ROWS) {
  if (names.length > 0 && !names.includes(row.name)) continue
  console.error(`${row.name}: ${row.title} …`)
  measured.push(...(await report(row)))
  write()
}
for (const line of table(measured)) console.log(line)

async function report(row: Row): Promise<Reported[]> {
  const [load = Number.NaN] = loadavg()
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`
  const stamp = { at: new Date().toISOString(), load, node: process.version, machine }
  return (await measure(row)).map((result) => ({ ...result, ...stamp }))
}

/** Called after each row: later rows may fail or be interrupted. */
function write(): void {
  mkdirSync(results, { recursive: true })
  const before = existsSync(latest) ? JSON.parse(readFileSync(latest, 'utf8')).rows : []
  writeFileSync(latest, `${JSON.stringify({ rows: merge(before, measured) }, null, 2)}\n`)
}
