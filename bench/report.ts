/** Stored results and their table. */
import type { Result } from './row.ts'

/** A result with its circumstances. */
export interface Reported extends Result {
  /** When its row began, ISO 8601. */
  at: string
  /** The machine's one-minute load at that time: above the number of cores, other programs ran too. */
  load: number
  node: string
  /** The number of cores and their model. */
  machine: string
}

/** The new results of measured rows, and the earlier ones of all others. */
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
