import { expect, test } from 'vitest'
import { frame, frameOf, parseLastEventId } from './sse.ts'

test('a frame is event, data, id and a blank line', () => {
  expect(frame({ event: 'values', data: '{"a":1}', id: 3 })).toBe(
    'event: values\ndata: {"a":1}\nid: 3\n\n',
  )
})

test('an event without an id has no id line', () => {
  expect(frame({ event: 'error', data: '{}' })).toBe('event: error\ndata: {}\n\n')
})

test('line breaks in a name cannot begin a line of their own', () => {
  expect(frame({ event: 'values|a\r\ndata: x:1', data: '1', id: 0 })).toBe(
    'event: values|a data: x:1\ndata: 1\nid: 0\n\n',
  )
})

test('a logged event is numbered within its run', () => {
  const place = { thread_id: 't', run_id: 'r', seq: 17, run_seq: 4, created_at: 0 }
  expect(frameOf({ ...place, event: 'updates', data: '[]' })).toContain('id: 4\n')
})

test.each([
  [undefined, undefined],
  ['-1', -1],
  ['-', -1],
  [' -1 ', -1],
  ['0', 0],
  ['41', 41],
])('Last-Event-ID %j is read as %j', (header, number) => {
  expect(parseLastEventId(header)).toBe(number)
})

test.each(['', 'abc', '-2', '1.5', '1e3', '9'.repeat(16)])(
  'Last-Event-ID %j is refused',
  (header) => {
    expect(() => parseLastEventId(header)).toThrow(/Last-Event-ID/)
  },
)
