import { expect, test } from 'vitest'
import { isMetadata, parseMetadata } from './metadata-text.ts'

test('pairs and JSON are read', () => {
  expect(parseMetadata(' team=blue size=2 done=true of="2" ')).toEqual({
    ...{ team: 'blue', size: 2, done: true, of: '2' },
  })
  expect(parseMetadata('{"of": {"team": "blue"}}')).toEqual({ of: { team: 'blue' } })
  expect(parseMetadata('  ')).toBeUndefined()
})

test('what is neither is refused', () => {
  expect(isMetadata('team')).toBe(false)
  expect(isMetadata('{"team"')).toBe(false)
  expect(isMetadata('team=blue')).toBe(true)
})
