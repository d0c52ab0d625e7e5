import { expect, test } from 'vitest'
import { JoinedSignal } from './joined-signal.ts'

test('aborts as the first of its signals, with its reason', () => {
  const [one, other] = [new AbortController(), new AbortController()]
  const { signal } = new JoinedSignal([one.signal, other.signal])
  expect(signal.aborted).toBe(false)
  other.abort('other')
  one.abort('one')
  expect(signal.reason).toBe('other')
})

test('has aborted from the start where one of them has', () => {
  const { signal } = new JoinedSignal([new AbortController().signal, AbortSignal.abort('before')])
  expect(signal.reason).toBe('before')
})

test('follows nobody once it is stopped', () => {
  const one = new AbortController()
  const joined = new JoinedSignal([one.signal])
  joined.stop()
  one.abort()
  expect(joined.signal.aborted).toBe(false)
})
