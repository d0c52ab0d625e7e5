import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutJsonList, findJsonLists, joinJsonList, splitJsonList } from './json-list.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

test('a list comes apart at its own commas, and together again byte by byte', () => {
  const json = '[1,"a,]\\"",{"b":[2,{"c":"}"}]},[],"ü\\\\"]'
  const items = splitJsonList(bytesOf(json)) ?? expect.fail('no list')
  expect(items.map(textOf)).toEqual(['1', '"a,]\\""', '{"b":[2,{"c":"}"}]}', '[]', '"ü\\\\"'])
  expect(textOf(joinJsonList(items))).toBe(json)
})

test('whatever is in the list', () => {
  const lists = fc.array(fc.jsonValue(), { minLength: 1 })
  fc.assert(
    fc.property(lists, (list) => {
      const json = JSON.stringify(list)
      const items = splitJsonList(bytesOf(json)) ?? []
      expect(items.map((item) => JSON.parse(textOf(item)))).toEqual(JSON.parse(json))
      expect(textOf(joinJsonList(items))).toBe(json)
    }),
  )
})

test('long strings end where they end, however many quotes are escaped in them', () => {
  const long = 'x'.repeat(200)
  const texts = fc.array(fc.constantFrom('\\', '"', ',', ']', long), { minLength: 1, maxLength: 9 })
  fc.assert(
    fc.property(fc.array(texts, { minLength: 1 }), (list) => {
      const strings = list.map((parts) => parts.join(''))
      const items = splitJsonList(bytesOf(JSON.stringify(strings))) ?? []
      expect(items.map((item) => JSON.parse(textOf(item)))).toEqual(strings)
    }),
  )
})

test('a very long list comes in pieces, which are the same when it has grown', () => {
  const list = Array.from({ length: 10_000 }, (_, i) => ({ i, text: `number, ${i}` }))
  const [json, grown] = [list, [...list, { i: -1, text: '' }]].map((one) => JSON.stringify(one))
  const items = splitJsonList(bytesOf(String(json))) ?? []
  expect(items).toHaveLength(Math.ceil(10_000 / 64))
  expect(textOf(joinJsonList(items))).toBe(json)
  const inObject = `{"a":${grown}}`
  const [found] = findJsonLists(bytesOf(inObject), (count) => count > 10_000)
  expect(found?.items.slice(0, items.length - 1)).toEqual(items.slice(0, -1))
  expect(textOf(joinJsonList(found?.items ?? []))).toBe(grown)
})

test.each(['{}', '"[1]"', '[]', '1', '', ' [1]'])('%j is left as it is', (json) => {
  expect(splitJsonList(bytesOf(json))).toBeUndefined()
})

test('the outermost of the lists that are wanted are found, at any depth', () => {
  const json = '{"a":[1,"],",[2,3]],"b":{"c":[[4,5],{"d":[6,7,8]}]},"e":[]}'
  const found = (minItems: number) =>
    findJsonLists(bytesOf(json), (items) => items >= minItems).map(({ start, end, items }) => {
      expect(joinJsonList(items)).toEqual(bytesOf(json.slice(start, end)))
      return items.map(textOf)
    })
  expect(found(3)).toEqual([
    ['1', '"],"', '[2,3]'],
    ['6', '7', '8'],
  ])
  expect(found(2)).toEqual([
    ['1', '"],"', '[2,3]'],
    ['[4,5]', '{"d":[6,7,8]}'],
  ])
  expect(found(5)).toEqual([])
})

test('a list is cut into lists, which are all of it', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), fc.nat(40), (list, bytes) => {
      const json = JSON.stringify(list)
      const lists = cutJsonList(bytesOf(json), bytes) ?? []
      expect(lists.flatMap((one) => JSON.parse(textOf(one)))).toEqual(JSON.parse(json))
    }),
  )
  expect(cutJsonList(bytesOf('[1,2,3,4,5]'), 2)?.map(textOf)).toEqual(['[1,2]', '[3,4]', '[5]'])
  expect(cutJsonList(bytesOf('{"a":[1]}'), 1)).toBeUndefined()
})
