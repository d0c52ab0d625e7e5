import { expect, test } from 'vitest'
import { sectionsOf } from './sections.ts'

test('Markdown is cut at empty lines, and not within code', () => {
  expect(sectionsOf('A\n\nB\nC\n\n```\nd\n\ne\n```\n\nF')).toEqual([
    'A',
    'B\nC',
    '```\nd\n\ne\n```',
    'F',
  ])
})

test('code whose end has not come is one section', () =>
  expect(sectionsOf('A\n\n```\nb\n\nc')).toEqual(['A', '```\nb\n\nc']))

test('a very long line is cut between words', () => {
  const text = 'word '.repeat(2_000).trim()
  const sections = sectionsOf(text)
  expect(sections.length).toBeGreaterThan(1)
  expect(sections.join(' ')).toBe(text)
})
