import { expect, test } from 'vitest'
import { SharedBytes } from './shared-bytes.ts'

test('what is shown of a page is made once for each way to show it', () => {
  const shared = new SharedBytes<readonly string[]>()
  let made = 0
  const show = (page: readonly string[], key: string) =>
    shared.of(page, key, () => {
      made += 1
      return `${key}: ${page} ü`
    })
  const page = ['a']
  expect(show(page, 'all')).toBe(show(page, 'all'))
  expect(made).toBe(1)
  expect(String(show(page, 'some'))).toBe('some: a ü')
  expect(String(show(['b'], 'all'))).toBe('all: b ü')
})

test('of a page that everybody wants to see otherwise, few ways are kept', () => {
  const shared = new SharedBytes<readonly string[]>()
  const page = ['a']
  let made = 0
  const show = (key: string) =>
    shared.of(page, key, () => {
      made += 1
      return `${key} ${made}`
    })
  for (let i = 0; i < 100; i += 1) show(`${i}`)
  expect(String(show('0'))).toBe('0 1')
  expect(String(show('99'))).toBe('99 101')
})
