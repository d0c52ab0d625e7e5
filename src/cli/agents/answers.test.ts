import { expect, test } from 'vitest'
import { chosen, questionOf } from './answers.ts'

const SEND = { name: 'send', args: { to: 'ann' } }

function answered(value: unknown, line: string): unknown {
  const found = chosen(questionOf({ value }), line)
  return found?.choice.answer(found.said)
}

test('one action is approved, edited or rejected, as its review allows', () => {
  const value = {
    action_requests: [SEND],
    review_configs: [{ allowed_decisions: ['approve', 'edit', 'reject'] }],
  }
  expect(questionOf({ value }).text).toBe('send {"to":"ann"}')
  expect(questionOf({ value }).choices.map(({ name }) => name)).toEqual([
    'approve',
    'edit',
    'reject',
  ])
  expect(answered(value, 'approve')).toEqual({ decisions: [{ type: 'approve' }] })
  expect(answered(value, 'edit: {"to":"bob"}')).toEqual({
    decisions: [{ type: 'edit', edited_action: { name: 'send', args: { to: 'bob' } } }],
  })
  expect(answered(value, 'reject: too dear')).toEqual({
    decisions: [{ type: 'reject', message: 'too dear' }],
  })
  expect(answered(value, 'respond: no')).toBeUndefined()
})

test('several actions get the same decision, and are not edited', () => {
  const review = { allowed_decisions: ['approve', 'edit', 'respond'] }
  const value = { action_requests: [SEND, SEND], review_configs: [review, review] }
  expect(questionOf({ value }).choices.map(({ name }) => name)).toEqual(['approve', 'respond'])
  expect(answered(value, 'approve')).toEqual({
    decisions: [{ type: 'approve' }, { type: 'approve' }],
  })
})

test('a request of the inbox is answered in its own words', () => {
  const value = [
    {
      action_request: { action: 'send', args: { to: 'ann' } },
      config: { allow_accept: true, allow_edit: true, allow_respond: true, allow_ignore: false },
      description: 'Send it?',
    },
  ]
  expect(questionOf({ value }).text).toBe('Send it?')
  expect(answered(value, 'approve')).toEqual([{ type: 'accept', args: null }])
  expect(answered(value, 'edit {"to":"bob"}')).toEqual([
    { type: 'edit', args: { action: 'send', args: { to: 'bob' } } },
  ])
  expect(answered(value, 'reply: later')).toEqual([{ type: 'response', args: 'later' }])
  expect(answered(value, 'ignore')).toBeUndefined()
})

test.each([
  ['yes', 'yes'],
  ['{"ok": true}', { ok: true }],
  ['reply: 7', 7],
])('any other question takes %j as text or JSON', (line, answer) => {
  expect(questionOf({ value: { what: 'now?' } }).text).toBe('{\n  "what": "now?"\n}')
  expect(answered('Now?', line)).toEqual(answer)
})
