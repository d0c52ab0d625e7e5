import { expect, test } from 'vitest'
import { readStoreConfig, StoreSection } from './store.ts'

const read = (store: unknown) => readStoreConfig(StoreSection.parse(store))

test('items are kept for good and found by what they hold unless the file says otherwise', () => {
  const nothing = { refreshOnRead: true, sweepIntervalMinutes: 5 }
  expect(readStoreConfig(undefined)).toEqual(nothing)
  expect(readStoreConfig(null)).toEqual(nothing)
  expect(read({ ttl: {}, index: null })).toEqual(nothing)
})

test('all of it is read; without fields the whole value is embedded', () => {
  const ttl = { default_ttl: 1.5, refresh_on_read: false, sweep_interval_minutes: 2 }
  const index = { embed: './e.ts:embed', dims: 3 }
  expect(read({ ttl, index })).toEqual({
    defaultTtlMinutes: 1.5,
    refreshOnRead: false,
    sweepIntervalMinutes: 2,
    index: { ...index, fields: ['$'], language: 'javascript' },
  })
  expect(read({ index: { ...index, fields: ['a', 'b[*].c'] } }).index?.fields).toEqual([
    'a',
    'b[*].c',
  ])
})

test('what embeds is told by the file, and of a provider by the graphs', () => {
  const languageOf = (embed: string, graphs: 'javascript' | 'python') =>
    readStoreConfig(StoreSection.parse({ index: { embed, dims: 3 } }), graphs).index?.language
  expect(languageOf('./e.py:embed', 'javascript')).toBe('python')
  expect(languageOf('./e.ts:embed', 'python')).toBe('javascript')
  expect(languageOf('openai:small', 'javascript')).toBe('javascript')
  expect(languageOf('openai:small', 'python')).toBe('python')
})

test.each([
  { ttl: { default_ttl: 0 } },
  { ttl: { refresh_on_read: 'yes' } },
  { index: { embed: './e.ts:embed' } },
  { index: { dims: 3 } },
  { index: { embed: 'e', dims: 0 } },
  { index: { embed: 'e', dims: 3, fields: 'a' } },
])('%j is refused', (store) => {
  expect(() => read(store)).toThrow()
})
