import { expect, test } from 'vitest'
import { readBreakpoints, withBreakpoint } from './breakpoints.ts'

test('breakpoints come back as they were kept', () => {
  const kept = withBreakpoint({ before: ['pour'], after: [] }, 'after', 'sweeten', true)
  expect(readBreakpoints(JSON.stringify(kept))).toEqual({ before: ['pour'], after: ['sweeten'] })
})

test('what is not of their shape is none', () => {
  for (const text of [null, '', '{', '[]', '{"before":["pour"]}', '{"before":[1],"after":[]}'])
    expect(readBreakpoints(text)).toEqual({ before: [], after: [] })
})
