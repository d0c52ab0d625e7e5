import { expect, test } from 'vitest'
import { seenStates } from './seen-states.ts'

/** A step with these messages, at the given checkpoint. */
function step(id: number, ...messages: string[]) {
  const at = (checkpoint_id: string) => ({ thread_id: 't', checkpoint_ns: '', checkpoint_id })
  return {
    checkpoint: at(`c${id}`),
    parent_checkpoint: id === 0 ? null : at(`c${id - 1}`),
    metadata: { run_id: `r${id}` },
    values: { messages: messages.map((message) => ({ id: message })) },
  }
}

const history = [step(2, 'a', 'b', 'c'), step(1, 'a', 'b'), step(0, 'a')]
const before = (steps: object[]) =>
  Object.fromEntries(
    [...seenStates(steps as never, 'messages')].map(([id, one]) => [id, one.before]),
  )

test('a message came after the checkpoint before its first step', () => {
  expect(before(history)).toEqual({ a: undefined, b: 'c0', c: 'c1' })
})

test('where it came from is not known before the step before it is read', () => {
  expect(before(history.slice(0, 2))).toEqual({ c: 'c1' })
  expect(before(history.slice(0, 1))).toEqual({})
})
