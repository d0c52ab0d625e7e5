import { expect, it } from 'vitest'
import { TIMELINE_LIMITS, type TimelineSpan } from '../../../core/agent/timeline/timeline.ts'
import { RunSpans } from './spans.ts'

function failed(thrown: unknown): TimelineSpan {
  const told: TimelineSpan[] = []
  new RunSpans((spans) => told.push(...spans)).onNode('node', {})({ thrown })
  const last = told.at(-1)
  if (!last) throw new Error('Nothing was told.')
  return last
}

it.each([
  ['a text', 'no', 'no'],
  ['nothing', null, 'null'],
  ['a symbol', Symbol('no'), 'Symbol(no)'],
  ['an object', { code: 1 }, '{"code":1}'],
  ['an object without a prototype', Object.create(null), '{}'],
  ['a message that is no text', { message: { code: 1 }, stack: 1 }, '{"code":1}'],
])('tells a node that has thrown %s', (_, thrown, message) => {
  expect(failed(thrown)).toMatchObject({ status: 'error', error: { error: 'Error', message } })
})

it('cuts off what was thrown, whatever it is', () => {
  const long = 'x'.repeat(1_000_000)
  const most = 4 * TIMELINE_LIMITS.chars
  for (const thrown of [long, { message: long }, { name: long, stack: long }, { long }]) {
    expect(JSON.stringify(failed(thrown)).length).toBeLessThan(most)
  }
})
