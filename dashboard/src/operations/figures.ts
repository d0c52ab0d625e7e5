/** Counts of runs in a point of figures. */
import type { Point } from './queries.ts'

/** Ends that are neither a success nor a failure. */
export const STOPPED = ['interrupted']
const FAILED = ['error', 'timeout']

export function runsOf(point: Point, statuses: readonly string[]): number {
  return statuses.reduce((sum, status) => sum + (point.runs[status] ?? 0), 0)
}

export function failedRuns(point: Point): number {
  return runsOf(point, FAILED)
}

export function endedRuns(point: Point): number {
  return Object.values(point.runs).reduce((sum, count) => sum + count, 0)
}
