import { expect, test } from 'vitest'
import type { FoundRun } from '../../api/runs.ts'
import { groupFailed } from './failed-groups.ts'

const failed = (run_id: string, ended_at: number, message: string) =>
  ({ run_id, ended_at, status: 'error', error: { error: 'ToolError', message } }) as FoundRun

test('runs that failed for the same reason are one group, with the newest of them', () => {
  const runs = [
    failed('a', 3, 'Status 500 of request 1795844951'),
    failed('b', 9, 'Status 500 of request 1795844987'),
    failed('c', 5, 'Order 2f6a1c1e-0000-4000-8000-00000000000a is unknown'),
    failed('d', 4, 'Order 2f6a1c1e-0000-4000-8000-00000000000b is unknown'),
    failed('e', 1, 'Status 500 of request 1795844900'),
    failed('g', 2, 'Status 404 of request 1795844901'),
    { ...failed('f', 8, ''), status: 'timeout', error: null } as FoundRun,
  ]
  const groups = groupFailed(runs).map(({ count, newest }) => [count, newest.run_id])
  expect(groups).toEqual([
    [3, 'b'],
    [2, 'c'],
    [1, 'g'],
    [1, 'f'],
  ])
})
