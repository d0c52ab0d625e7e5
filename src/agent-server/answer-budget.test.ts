import { expect, it } from 'vitest'
import { AnswerBudget } from './answer-budget.ts'

const KB = 1024

it('refuses an answer that is too much beside the others, until they were taken', () => {
  const budget = new AnswerBudget(100 * KB)
  const [first, second] = [budget.open(), budget.open()]
  first.atLeast(60 * KB)
  first.atLeast(30 * KB)
  expect(() => second.atLeast(41 * KB)).toThrow('RUNYARD_MAX_ANSWER_BYTES')
  expect(budget.heldBytes).toBe(60 * KB)
  second.atLeast(40 * KB)
  first.release()
  first.release()
  second.atLeast(100 * KB)
  expect(budget.heldBytes).toBe(100 * KB)
  second.release()
  expect(budget.heldBytes).toBe(0)
})

it('refuses neither a small answer nor one that is alone', () => {
  const budget = new AnswerBudget(100 * KB)
  const [large, small] = [budget.open(), budget.open()]
  large.atLeast(1000 * KB)
  small.atLeast(16 * KB)
  expect(() => small.atLeast(17 * KB)).toThrow('Try again')
  large.release()
  large.atLeast(KB)
  expect(budget.heldBytes).toBe(16 * KB)
})
