import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  containsJson,
  equalsJson,
  numberText,
  orderedNumber,
  parseJson,
  parseJsonAt,
  plainNumber,
  withPlainNumbers,
} from './exact-json.ts'
import { isObject, type JsonValue } from './json.ts'

const BIG = '1234567890123456789'

describe('what is read and written again', () => {
  test.each([
    [BIG, BIG],
    [`-${BIG}`, `-${BIG}`],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['9007199254740991', '9007199254740991'],
    ['9007199254740993', '9007199254740993'],
    ['2.0', '2.0'],
    ['2.50', '2.5'],
    ['1e3', '1000.0'],
    ['1E16', '10000000000000000.0'],
    ['-0.0', '-0.0'],
    ['0.99999999999999999999', '1.0'],
    ['1e-400', '0.0'],
    ['1e300', '1e+300'],
    ['1e400', 'null'],
    [`{"a":[${BIG},{"b":2.0}],"c":"2.0"}`, `{"a":[${BIG},{"b":2.0}],"c":"2.0"}`],
    [`{"__proto__":{"a":${BIG}}}`, `{"__proto__":{"a":${BIG}}}`],
    ['{"rawJSON":"1.0"}', '{"rawJSON":"1.0"}'],
  ])('is of %s %s', (text, told) => {
    expect(JSON.stringify(parseJson(text))).toBe(told)
  })

  it('is any JSON, with whole numbers of any length and floats as they were', () => {
    fc.assert(
      fc.property(anyJson(), ({ text }) => {
        expect(JSON.stringify(parseJson(text))).toBe(text)
        expect(JSON.stringify(parseJson(`\n[ ${text} ]`))).toBe(`[${text}]`)
      }),
      { numRuns: 1_000 },
    )
  })

  it('is for JavaScript what `JSON.parse` reads', () => {
    fc.assert(
      fc.property(anyJson(), ({ text }) => {
        const plain = withPlainNumbers(parseJson(text))
        expect(JSON.stringify(plain)).toBe(JSON.stringify(JSON.parse(text)))
        expect(equalsJson(parseJson(text), parseJson(text))).toBe(true)
      }),
    )
  })
})

it('tells JSON objects from numbers', () => {
  const value = parseJson(`{"id":${BIG}}`)
  expect(isObject(value)).toBe(true)
  expect(isObject(value.id)).toBe(false)
  expect(plainNumber(value.id)).toBe(Number(BIG))
  expect(plainNumber('2.0')).toBe('2.0')
})

it('gives JavaScript plain numbers, and leaves alone what has them', () => {
  const plain = { a: [1, { b: 2 }], c: null }
  expect(withPlainNumbers(plain)).toBe(plain)
  expect(withPlainNumbers(parseJson('{"a":[1,{"b":2.0}],"c":null}'))).toEqual(plain)
})

it('reads numbers as they were written at one path alone', () => {
  const read = (text: string) => JSON.stringify(parseJsonAt(text, ['params', 'y']))
  const call = '{"id":1.0,"params":{"x":2.0,"y":3.0}}'
  expect(read(call)).toBe('{"id":1,"params":{"x":2,"y":3.0}}')
  expect(read(`[${call},4.0,{"params":5.0}]`)).toBe(
    '[{"id":1,"params":{"x":2,"y":3.0}},4,{"params":5}]',
  )
})

test.each([
  [BIG, '1234567890123456790', false],
  [BIG, BIG, true],
  ['2', '2.0', true],
  ['0', '-0.0', true],
  ['2', '"2"', false],
  [`{"a":1.0,"b":[${BIG}]}`, `{"b":[${BIG}],"a":1}`, true],
  ['[1,2]', '[2,1]', false],
  ['{"a":1}', '{"a":1,"b":2}', false],
  ['{"a":null}', '{"b":null}', false],
])('%s and %s are equal: %s', (one, other, isEqual) => {
  expect(equalsJson(parseJson(one), parseJson(other))).toBe(isEqual)
  expect(equalsJson(parseJson(other), parseJson(one))).toBe(isEqual)
})

it('orders whole numbers exactly, floats beside them, and texts that are numbers', () => {
  const order = [
    '-1e300',
    `-${BIG}`,
    '-1.5',
    '2.0',
    '2.5',
    '"3"',
    BIG,
    '"1234567890123456790"',
    '1e300',
  ]
  const numbers = order.map((text) => orderedNumber(parseJson(text)))
  for (const [i, one] of numbers.entries()) {
    for (const [j, other] of numbers.entries()) expect(one < other).toBe(i < j)
  }
  expect(orderedNumber('a')).toBeNaN()
  expect(orderedNumber(' ')).toBeNaN()
  expect(orderedNumber(null)).toBeNaN()
  expect(numberText(parseJson('2.0'))).toBe('2')
})

/** JSON texts as this writes them. */
function anyJson(): fc.Arbitrary<{ text: string; value?: JsonValue }> {
  const whole = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String)
  const float = fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value) =>
      /[.e]/.test(String(value)) ? String(value) : `${Object.is(value, -0) ? '-0' : value}.0`,
    )
  const leaf = fc.oneof(
    whole,
    float,
    fc.string().map((text) => JSON.stringify(text)),
    fc.constantFrom('null', 'true', 'false', '"1e5"', '" 12345678901234567890"'),
  )
  const { json } = fc.letrec<{ json: string }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('json'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
      fc
        .uniqueArray(
          fc.tuple(
            fc.string({ minLength: 1 }).map((key) => `k${key}`),
            tie('json'),
          ),
          {
            maxLength: 4,
            selector: ([key]) => key,
          },
        )
        .map((all) => `{${all.map(([key, item]) => `${JSON.stringify(key)}:${item}`).join(',')}}`),
    ),
  }))
  return json.map((text) => ({ text }))
}

test.each([
  [{ a: 1, b: 2 }, { a: 1 }],
  [{ a: { b: { c: 1, d: 2 } } }, { a: { b: { c: 1 } } }],
  [{ tags: ['x', 'y', 'z'] }, { tags: ['z', 'x'] }],
  [{ list: [{ id: 1, name: 'a' }] }, { list: [{ id: 1 }] }],
  [{ a: null }, { a: null }],
  [{ a: [1] }, {}],
])('%j contains %j', (document, wanted) => {
  expect(containsJson(document, wanted)).toBe(true)
})

test.each([
  [{ a: 1 }, { a: 2 }],
  [{ a: 1 }, { a: '1' }],
  [{}, { a: null }],
  [{}, { toString: {} }],
  [{ a: { b: 1 } }, { a: { b: 1, c: 2 } }],
  [{ tags: ['x'] }, { tags: ['x', 'y'] }],
  [{ tags: ['x'] }, { tags: 'x' }],
  [{ a: [1] }, { a: {} }],
])('%j does not contain %j', (document, wanted) => {
  expect(containsJson(document, wanted)).toBe(false)
})
