import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Packer, unpack } from './message-pack.ts'

function pack(value: unknown): Buffer {
  const packer = new Packer()
  packer.write(value)
  return packer.take()
}

const through = (value: unknown) => unpack(pack(value))

describe('what passes', () => {
  it('is JSON, as it was', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        // `-0` is no number of JSON's.
        const plain = JSON.parse(JSON.stringify(value))
        expect(through(plain)).toEqual(plain)
      }),
      { numRuns: 500 },
    )
  })

  it('is text of any length and any letters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.nat(300), (text, times) => {
        const long = text.repeat(times)
        expect(through({ [long]: long })).toEqual({ [long]: long })
      }),
    )
  })

  it.each([31, 32, 48, 49, 85, 86, 255, 256, 21_845, 21_846, 65_536, 1_000_000])(
    'is a text, bytes and a list of %d',
    (length) => {
      const value = {
        text: 'x'.repeat(length),
        wide: '€'.repeat(length),
        bytes: Buffer.alloc(length, 7),
        list: new Array(length).fill(1),
      }
      expect(through(value)).toEqual(value)
    },
  )

  it.each([
    ...[0, 127, 128, 255, 256, 65_535, 65_536, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1],
    ...[-1, -32, -33, -128, -129, -(2 ** 31), -(2 ** 31) - 1, -(2 ** 53) + 1],
  ])('is the whole number %d, as one', (number) => {
    const bytes = pack(number)
    expect(unpack(bytes)).toBe(number)
    // A floating number begins with 0xcb, and Python would not take it for an index.
    expect(bytes[0]).not.toBe(0xcb)
  })

  it('is a field of any name', () => {
    const value = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "": 3}')
    expect(JSON.stringify(through(value))).toBe('{"__proto__":{"a":1},"constructor":2,"":3}')
  })
})

describe('what JSON does not have', () => {
  it('is absent where a field is undefined', () => {
    expect(through({ a: undefined, b: [undefined], c: null })).toEqual({ b: [null], c: null })
  })

  it('is mended where half a letter stands in a text', () => {
    for (const text of ['\ud800', `${'x'.repeat(60)}\udc00`]) {
      expect(through({ [text]: text })).toEqual({ [text.toWellFormed()]: text.toWellFormed() })
    }
  })

  it('is refused', () => {
    expect(() => pack({ at: [() => {}] })).toThrow('function')
    expect(() => pack(1n)).toThrow('bigint')
    let deep: unknown = 1
    for (let i = 0; i < 1_001; i += 1) deep = [deep]
    expect(() => pack(deep)).toThrow(/nested 1000 levels/)
  })
})

describe('bytes that are no value', () => {
  it('are refused', () => {
    const bytes = pack({ text: 'some text', list: [1, 2, 300], bytes: Buffer.from('abc') })
    for (let end = 0; end < bytes.length; end += 1) {
      expect(() => unpack(bytes.subarray(0, end))).toThrow(RangeError)
    }
    expect(() => unpack(Buffer.concat([bytes, bytes]))).toThrow(RangeError)
    expect(() => unpack(Buffer.of(0xc1))).toThrow(RangeError)
  })
})

it('writes one value behind the other, and forgets what was not to be written', () => {
  const packer = new Packer()
  packer.write('first')
  const { length } = packer
  packer.write({ more: 'x'.repeat(40_000) })
  packer.rewind(length)
  packer.write(2)
  expect(packer.take()).toEqual(Buffer.concat([pack('first'), pack(2)]))
  expect(packer.length).toBe(0)
})
