import { expect, test } from 'vitest'
import { refuseResume } from './resume.ts'

const [A, B, C] = ['a'.repeat(32), 'b'.repeat(32), 'c'.repeat(32)]

test.each([
  ['an answer to the only question', 'yes', [A]],
  ['an answer where nothing is asked, which LangGraph passes over', 'yes', []],
  ['an answer by its id', { [A]: 'yes' }, [A, B]],
  ['all answers by their ids', { [A]: 'yes', [B]: 'no' }, [A, B]],
  ['an object that is one answer', { decision: 'yes' }, [A]],
])('%s is let through', (_, resume, open) => {
  expect(refuseResume(resume, new Set(open))).toBeUndefined()
})

test.each([
  ['one answer to several questions', 'yes', [A, B], '2 interrupts are open', 'ambiguous', []],
  ['an empty map', {}, [A], 'names no interrupt', 'empty_map', []],
  ['the id of no open interrupt', { [A]: 'yes', [C]: 'no' }, [A, B], C, 'not_pending', [C]],
  ['an id where no interrupt is open', { [A]: 'yes' }, [], A, 'not_pending', [A]],
])('%s is refused', (_, resume, open, told, reason, interrupt_ids) => {
  const refused = refuseResume(resume, new Set(open))
  expect(refused?.message).toContain(told)
  expect(refused?.refusal).toEqual({ reason, interrupt_ids, pending_ids: open })
})
