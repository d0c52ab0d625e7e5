import { expect, test } from 'vitest'
import { AppError } from '../core/errors.ts'
import { parseLastEventId } from './last-event-id.ts'

test('without the header nothing is said', () => {
  expect(parseLastEventId(undefined)).toBeUndefined()
})

test.each(['-1', '-', ' -1 '])('"%s" asks for all events', (header) => {
  expect(parseLastEventId(header)).toBe(-1)
})

test.each([
  ['0', 0],
  ['41', 41],
])('"%s" is the last event that the client has', (header, number) => {
  expect(parseLastEventId(header)).toBe(number)
})

test.each(['', 'abc', '-2', '1.5', '1e3', '9'.repeat(16)])('"%s" is refused', (header) => {
  expect(() => parseLastEventId(header)).toThrow(AppError)
  expect(() => parseLastEventId(header)).toThrow(/Last-Event-ID/)
})
