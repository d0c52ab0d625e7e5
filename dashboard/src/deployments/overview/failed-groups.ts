/** Failed runs of the last hour, those with the same error together. */
import type { FoundRun } from '../../api/runs.ts'

export interface FailedGroup {
  /** The error without what differs from run to run. */
  key: string
  count: number
  newest: FoundRun
}

/** Ids, addresses in memory and long numbers, which differ between runs that failed for the same reason. */
const VARYING = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\b0x[\da-f]+\b|\d{5,}/gi

/** The largest group first. */
export function groupFailed(runs: readonly FoundRun[]): FailedGroup[] {
  const groups = new Map<string, FailedGroup>()
  for (const run of runs) {
    const key = `${run.error?.error ?? run.status} ${run.error?.message ?? ''}`.replace(
      VARYING,
      '#',
    )
    const group = groups.get(key) ?? { key, count: 0, newest: run }
    group.count += 1
    if ((run.ended_at ?? 0) > (group.newest.ended_at ?? 0)) group.newest = run
    groups.set(key, group)
  }
  return [...groups.values()].sort((a, b) => b.count - a.count)
}
