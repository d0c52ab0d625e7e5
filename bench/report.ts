/** The results that are kept, and how they are shown. */
import type { Result } from './row.ts'

/** A result, and what it is to be read with. */
export interface Reported extends Result {
  /** When its row was begun, ISO 8601. */
  at: string
  /** The machine's load of one minute at that time: above its number of cores others worked too. */
  load: number
  node: string
  /** Cores and their model. */
  machine: string
}

/** Of each row that was measured now these results, of the others the ones that there were. */
export function merge(before: readonly Reported[], measured: readonly Reported[]): Reported[] {
  const names = new Set(measured.map((result) => result.name))
  return [...before.filter((result) => !names.has(result.name)), ...measured]
}

/** Lines of a table. */
export function table(results: readonly Reported[]): string[] {
  const lines = results.map((result) => [
    result.name,
    `${short(result.figure)} ${result.unit}`,
    result.floorName,
    `${short(result.floor)} ${result.unit}`,
    short(result.ratio),
    result.load.toFixed(1),
  ])
  const all = [['row', 'figure', 'against', 'floor', 'ratio', 'load'], ...lines]
  const widths = [0, 1, 2, 3, 4, 5].map((i) => Math.max(...all.map((line) => line[i]?.length ?? 0)))
  const rows = all.map((line) => line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  '))
  return [...new Set(results.map(({ node, machine }) => `Node ${node}, ${machine}`)), ...rows]
}

function short(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3)
}
