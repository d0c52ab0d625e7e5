import { expect, test } from 'vitest'
import { merge, type ServerRun } from './merged-runs.ts'

const run = (run_id: string, created_at: string) => ({ run_id, created_at }) as ServerRun

test('runs of several servers are one list, as far as it is known', () => {
  const { runs, sources } = merge({
    a: { rest: [run('a2', '5'), run('a1', '2')], cursor: 'more' },
    b: { rest: [run('b2', '4'), run('b1', '1')], cursor: null },
  })
  // What comes behind a1 may be later than b1.
  expect(runs.map(({ run_id }) => run_id)).toEqual(['a2', 'b2', 'a1'])
  expect(sources.b?.rest).toHaveLength(1)
  expect(sources.a?.cursor).toBe('more')
})

test('all of it comes where nothing is behind', () => {
  const { runs } = merge({
    a: { rest: [run('a1', '2')], cursor: null },
    b: { rest: [], cursor: null },
    c: { rest: [run('c1', '3')], cursor: null },
  })
  expect(runs.map(({ run_id }) => run_id)).toEqual(['c1', 'a1'])
})
