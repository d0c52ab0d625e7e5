import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  closeMsgpackExtension,
  joinMsgpackList,
  openMsgpackExtension,
  splitMsgpackList,
} from './msgpack-list.ts'

const numberOf = (number: number, bytes: number) => {
  const written = Buffer.alloc(bytes)
  written.writeUIntBE(number, 0, bytes)
  return written
}
const sized = (firsts: Record<number, number>) => (content: Uint8Array, length: number) => {
  const bytes = [1, 2, 4].find((one) => one in firsts && length < 256 ** one) ?? 4
  return Buffer.concat([Buffer.of(Number(firsts[bytes])), numberOf(length, bytes), content])
}
const asString = sized({ 1: 0xd9, 2: 0xda, 4: 0xdb })
const asBinary = sized({ 1: 0xc4, 2: 0xc5, 4: 0xc6 })
const asArray = sized({ 2: 0xdc, 4: 0xdd })
const asMap = sized({ 2: 0xde, 4: 0xdf })
const asExtension = sized({ 1: 0xc7, 2: 0xc8, 4: 0xc9 })

const arrayOf = (items: Uint8Array[]) =>
  items.length < 16
    ? Buffer.concat([Buffer.of(0x90 | items.length), ...items])
    : asArray(Buffer.concat(items), items.length)

const bytes = fc.uint8Array({ maxLength: 300 })
/** Any MessagePack value, in any of the ways in which it may be written. */
const { value } = fc.letrec<{ value: Uint8Array }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.oneof(
      fc.constantFrom(0xc0, 0xc2, 0xc3, 0x00, 0x7f, 0xe0, 0xff).map((one) => Buffer.of(one)),
      ...[
        [0xca, 4],
        [0xcb, 8],
        [0xcc, 1],
        [0xcd, 2],
        [0xce, 4],
        [0xcf, 8],
        [0xd0, 1],
        [0xd1, 2],
        [0xd2, 4],
        [0xd3, 8],
        [0xd4, 2],
        [0xd5, 3],
        [0xd6, 5],
        [0xd7, 9],
        [0xd8, 17],
      ].map(([first = 0, length = 0]) =>
        fc
          .uint8Array({ minLength: length, maxLength: length })
          .map((content) => Buffer.concat([Buffer.of(first), content])),
      ),
      fc
        .uint8Array({ maxLength: 31 })
        .map((content) => Buffer.concat([Buffer.of(0xa0 | content.length), content])),
      bytes.map((content) => asString(content, content.length)),
      bytes.map((content) => asBinary(content, content.length)),
      bytes.map((content) => asExtension(Buffer.concat([Buffer.of(5), content]), content.length)),
    ),
    fc.array(tie('value'), { maxLength: 40 }).map(arrayOf),
    fc.array(tie('value'), { maxLength: 15 }).map((items) => {
      const pairs = items.flatMap((item) => [item, item])
      return Buffer.concat([Buffer.of(0x80 | items.length), ...pairs])
    }),
    fc.array(tie('value'), { maxLength: 20 }).map((items) => {
      const pairs = items.flatMap((item) => [item, item])
      return asMap(Buffer.concat(pairs), items.length)
    }),
  ),
}))

test('whatever is in the list, it comes apart at its items and together again byte by byte', () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 40 }), (items) => {
      const list = arrayOf(items)
      const found = splitMsgpackList(list) ?? expect.fail('no list')
      expect(found.map((item) => Buffer.from(item).toString('hex'))).toEqual(
        items.map((item) => Buffer.from(item).toString('hex')),
      )
      expect(Buffer.compare(joinMsgpackList(found), list)).toBe(0)
    }),
  )
})

test('a list in an extension too', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70_000 }), (content) => {
      const whole = closeMsgpackExtension(content, 7)
      expect(
        Buffer.compare(whole, asExtension(Buffer.concat([Buffer.of(7), content]), content.length)),
      ).toBe(0)
      const opened = openMsgpackExtension(whole, 7) ?? expect.fail('no extension')
      expect(Buffer.compare(opened, content)).toBe(0)
      expect(openMsgpackExtension(whole, 6)).toBeUndefined()
      expect(openMsgpackExtension(whole.subarray(0, -1), 7)).toBeUndefined()
    }),
    { numRuns: 30 },
  )
})

test('no bytes at all are taken for a list that they could not be made of again', () => {
  const odd = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.uint8Array({ maxLength: 60 }).map((rest) => Buffer.concat([Buffer.of(0x93), rest])),
    fc.uint8Array({ maxLength: 60 }).map((rest) => Buffer.concat([Buffer.of(0xdc, 0, 2), rest])),
  )
  fc.assert(
    fc.property(odd, (some) => {
      const items = splitMsgpackList(some)
      if (items) expect(Buffer.compare(joinMsgpackList(items), some)).toBe(0)
      const content = openMsgpackExtension(some, 7)
      if (content) expect(Buffer.compare(closeMsgpackExtension(content, 7), some)).toBe(0)
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  ['nothing', ''],
  ['a map', '81a16101'],
  ['a text', 'a16b'],
  ['a list that is cut off', '9201'],
  ['a list with something behind it', '910102'],
  ['a list whose length is written longer than it must be', 'dc000101'],
  ['a byte that means nothing', '91c1'],
])('%s is left as it is', (_, hex) => {
  expect(splitMsgpackList(Buffer.from(hex, 'hex'))).toBeUndefined()
})
