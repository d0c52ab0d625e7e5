/**
 * `npm run bench [-- ROW…]`: measures the rows named, or all, prints a table and writes
 * `bench/results/latest.json`. Figures of one machine at one time: only ratios can be compared.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { measure, type Result } from './row.ts'
import { claimRow } from './rows/claim.ts'
import { deployRow, redeployRow } from './rows/deploy.ts'
import { gatewayLatencyRow, gatewayThroughputRow } from './rows/gateway.ts'
import { idleCpuRow, idleMemoryRow } from './rows/idle.ts'
import { runsFleetRow, runsPostgresRow, runsRow } from './rows/runs.ts'
import { searchByMetadataRow, searchRow } from './rows/search.ts'
import { historyRow, stateRow } from './rows/state.ts'
import { streamRows } from './rows/streams.ts'
import { wakeRow } from './rows/wake.ts'

const ROWS = [
  runsRow,
  runsPostgresRow,
  runsFleetRow,
  deployRow,
  redeployRow,
  wakeRow,
  gatewayLatencyRow,
  gatewayThroughputRow,
  idleMemoryRow,
  idleCpuRow,
  searchRow,
  searchByMetadataRow,
  stateRow,
  historyRow,
  claimRow,
  ...streamRows,
]

const results = join(import.meta.dirname, 'results')
const names = process.argv.slice(2)
const unknown = names.filter((name) => !ROWS.some((row) => row.name === name))
if (unknown.length > 0) {
  console.error(`There is no row ${unknown.join(', ')}; there are ${ROWS.map((row) => row.name)}.`)
  process.exit(2)
}

const measured: Result[] = []
for (const row of ROWS) {
  if (names.length > 0 && !names.includes(row.name)) continue
  console.error(`${row.name}: ${row.title} …`)
  measured.push(...(await measure(row)))
}
print(measured)
mkdirSync(results, { recursive: true })
writeFileSync(join(results, 'latest.json'), `${JSON.stringify(report(), null, 2)}\n`)

function report() {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`
  return { at: new Date().toISOString(), node: process.version, machine, rows: measured }
}

function print(rows: Result[]): void {
  const lines = rows.map((row) => [
    row.name,
    `${short(row.figure)} ${row.unit}`,
    row.floorName,
    `${short(row.floor)} ${row.unit}`,
    short(row.ratio),
  ])
  const table = [['row', 'figure', 'against', 'floor', 'ratio'], ...lines]
  const widths = [0, 1, 2, 3, 4].map((i) => Math.max(...table.map((line) => line[i]?.length ?? 0)))
  for (const line of table)
    console.log(line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  '))
}

function short(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3)
}
