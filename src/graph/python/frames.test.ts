import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from '../../core/exact-json.ts'
import { type Frame, FrameReader, FrameWriter, WithBytes } from './frames.ts'

function written(...frames: Frame[]): Buffer {
  const writer = new FrameWriter()
  for (const frame of frames) writer.add(frame)
  const bytes = writer.take()
  expect(writer.isEmpty).toBe(true)
  return bytes
}

function read(...chunks: Buffer[]): [Frame, Buffer[]][] {
  const found: [Frame, Buffer[]][] = []
  const reader = new FrameReader((frame, bytes) => found.push([frame, bytes]))
  for (const chunk of chunks) reader.feed(chunk)
  return found
}

const through = (value: unknown) => read(written([0, value]))[0]?.[0][1]

describe('what passes', () => {
  it('is JSON, as it was, in pieces of any length', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 6 })), fc.integer({ min: 1 }), (all, size) => {
        const bytes = written(...all.map((value): Frame => [1, value]))
        const pieces = bytes.length === 0 ? [] : cut(bytes, (size % bytes.length) + 1)
        const told = read(...pieces).map(([frame]) => frame[1])
        expect(JSON.stringify(told)).toBe(JSON.stringify(all))
      }),
    )
  })

  it('is a number as Python reads it', () => {
    const text = '[1234567890123456789,-1e5,2.0,9007199254740991,123456789012345678901234567890]'
    expect(JSON.stringify(through(parseJson(text)))).toBe(text.replace('1e5', '100000.0'))
  })

  it('is a field of any name', () => {
    const value = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "": 3}')
    expect(JSON.stringify(through(value))).toBe('{"__proto__":{"a":1},"constructor":2,"":3}')
  })

  it('is bytes, alone and beside JSON', () => {
    const [a, b] = [Buffer.from([0, 255]), new Uint8Array(100_000).fill(7)]
    const frames = read(written([4, 1, a], [0, 2, new WithBytes({ at: [1, 0] }, [a, b])], [1, 3]))
    expect(frames).toEqual([
      [[4, 1, null], [a]],
      [
        [0, 2, { at: [1, 0] }],
        [a, Buffer.from(b)],
      ],
      [[1, 3], []],
    ])
  })
})

describe('what JSON does not have', () => {
  it('is mended where half a surrogate pair stands in a text', () => {
    const text = 'a\ud800 \\ud800 \\\udc00 \u{1f600}'
    expect(through({ [text]: text })).toEqual({ [text.toWellFormed()]: text.toWellFormed() })
  })

  it('is refused, and the next frame passes', () => {
    const writer = new FrameWriter()
    writer.add([1, 'first'])
    expect(() => writer.add([1, 1n])).toThrow(TypeError)
    writer.add([1, 'last'])
    expect(read(writer.take()).map(([frame]) => frame[1])).toEqual(['first', 'last'])
  })
})

it('refuses bytes that are no frame', () => {
  const bytes = written([0, 1, new WithBytes({ a: 0 }, [Buffer.from('abc')])])
  bytes.writeUInt32BE(200, 4)
  expect(() => read(bytes)).toThrow(RangeError)
  expect(() => read(Buffer.from([255, 255, 255, 255]))).toThrow(RangeError)
})

function cut(bytes: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
  return pieces
}
