import { expect, test } from 'vitest'
import { readHeaders } from './given-headers.ts'

test('headers are read line by line', () => {
  const text = 'Authorization: Bearer a:b==\n\n  x-team :blue \n'
  expect(readHeaders(text)).toEqual({ authorization: 'Bearer a:b==', 'x-team': 'blue' })
  expect(readHeaders('')).toEqual({})
})

test('what no browser would send is none', () => {
  for (const text of ['Bearer abc', ': value', 'a b: c', 'name: č'])
    expect(readHeaders(text)).toBeUndefined()
})
