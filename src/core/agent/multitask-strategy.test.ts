import { expect, test } from 'vitest'
import { MULTITASK_STRATEGIES, planMultitask } from './multitask-strategy.ts'

test.each(MULTITASK_STRATEGIES)('%s accepts a run where the thread has no other', (strategy) => {
  expect(planMultitask(strategy, false)).toEqual({ kind: 'accept' })
})

test('on a busy thread each does what its name says', () => {
  expect(planMultitask('reject', true)).toEqual({ kind: 'reject' })
  expect(planMultitask('enqueue', true)).toEqual({ kind: 'accept' })
  expect(planMultitask('interrupt', true)).toEqual({ kind: 'supersede', action: 'interrupt' })
  expect(planMultitask('rollback', true)).toEqual({ kind: 'supersede', action: 'rollback' })
})
