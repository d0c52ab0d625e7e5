import { expect, test } from 'vitest'
import { certificateState, recordTo } from './domain-words.ts'

test.each([
  ['runyard.example.com', { type: 'CNAME', value: 'runyard.example.com' }],
  ['203.0.113.7', { type: 'A', value: '203.0.113.7' }],
  ['2001:db8::7', { type: 'AAAA', value: '2001:db8::7' }],
  ['127.0.0.1', undefined],
  ['localhost', undefined],
  ['::1', undefined],
  [null, undefined],
])('a host is led to %s by %o', (points_to, record) => {
  expect(recordTo(points_to)).toEqual(record)
})

test('a certificate is good, to be renewed, or over', () => {
  const at = (day: string) => certificateState('2026-12-31T00:00:00Z', Date.parse(day))
  expect(at('2026-12-01T00:00:00Z')).toBe('good')
  expect(at('2026-12-20T00:00:00Z')).toBe('wait')
  expect(at('2026-12-31T00:00:00Z')).toBe('bad')
})
