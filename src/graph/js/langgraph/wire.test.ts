import {
  AIMessage,
  AIMessageChunk,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toWire } from './wire.ts'

describe('toWire', () => {
  it('leaves JSON as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.stringify(toWire(value))).toBe(JSON.stringify(value))
      }),
    )
  })

  it('answers JSON for anything at all, and never throws', () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSet: true,
      withTypedArray: true,
      withSparseArray: true,
    })
    fc.assert(
      fc.property(anything, (value) => {
        const text = JSON.stringify(toWire(value))
        expect(JSON.stringify(JSON.parse(text))).toBe(text)
      }),
    )
  })

  it('writes messages as flat objects with their type', () => {
    const call = { id: 'c1', name: 'search', args: { q: 'x' }, type: 'tool_call' as const }
    const messages = [
      new SystemMessage('be brief'),
      new HumanMessage({ content: 'hi', id: 'h1', name: 'Ann', additional_kwargs: { a: 1 } }),
      new AIMessage({ content: '', id: 'a1', tool_calls: [call] }),
      new ToolMessage({ content: 'found', tool_call_id: 'c1', name: 'search', status: 'success' }),
      new RemoveMessage({ id: 'h1' }),
    ]
    expect(toWire({ messages })).toMatchObject({
      messages: [
        { type: 'system', content: 'be brief' },
        { type: 'human', content: 'hi', id: 'h1', name: 'Ann', additional_kwargs: { a: 1 } },
        { type: 'ai', content: '', id: 'a1', tool_calls: [call], response_metadata: {} },
        { type: 'tool', content: 'found', tool_call_id: 'c1', name: 'search', status: 'success' },
        { type: 'remove', id: 'h1' },
      ],
    })
  })

  it('leaves what a message does not have out, and keeps nothing of the class', () => {
    expect(toWire(new HumanMessage('hi'))).toEqual({
      type: 'human',
      content: 'hi',
      additional_kwargs: {},
      response_metadata: {},
    })
  })

  it('writes a chunk with the type of its message', () => {
    const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 }
    const chunk = Object.assign(new AIMessageChunk({ content: 'he', id: 'a1' }), {
      usage_metadata: usage,
    })
    expect(toWire(chunk)).toMatchObject({ type: 'ai', content: 'he', usage_metadata: usage })
  })

  it('knows the messages of any copy of the library', () => {
    class ForeignMessage {
      content = [{ type: 'text', text: 'hi' }]
      lc_kwargs = { secret: true }
      _getType() {
        return 'human'
      }
    }
    expect(toWire(new ForeignMessage())).toEqual({
      type: 'human',
      content: [{ type: 'text', text: 'hi' }],
    })
  })

  it.each([
    ['an error', new RangeError('too far'), { error: 'RangeError', message: 'too far' }],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['a date that is none', new Date(Number.NaN), null],
    ['a map', new Map([['a', new Set([1])]]), { a: [1] }],
    ['a map of other keys', new Map([[1, 'a']]), [[1, 'a']]],
    ['bytes', new Uint8Array([104, 105]), 'aGk='],
    ['a buffer', Buffer.from('hi'), 'aGk='],
    ['a small bigint', 12n, 12],
    ['a large bigint', 2n ** 64n, '18446744073709551616'],
    ['a regular expression', /a+/g, '/a+/g'],
    ['a URL', new URL('http://a.b/'), 'http://a.b/'],
    ['numbers that JSON lacks', [Number.NaN, Number.POSITIVE_INFINITY], [null, null]],
    ['undefined', undefined, null],
    ['a function', () => 1, null],
    ['gaps', [undefined, () => 1, Symbol('a')], [null, null, null]],
    ['fields without a value', { a: undefined, b: () => 1, c: Symbol('c'), d: null }, { d: null }],
  ])('writes %s', (_, value, wire) => {
    expect(toWire(value)).toEqual(wire)
  })

  it('marks a cycle, and writes twice what is only there twice', () => {
    const shared = { a: 1 }
    const value: Record<string, unknown> = { one: shared, two: shared }
    value.self = { value }
    expect(toWire(value)).toEqual({ one: { a: 1 }, two: { a: 1 }, self: { value: '[Circular]' } })
  })

  it('cuts what is too deep for JSON.stringify', () => {
    let deep: unknown = 'end'
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    expect(JSON.stringify(toWire(deep))).toContain('[Too deep]')
  })

  it('survives a value that throws when it is read', () => {
    const value = {
      fine: 1,
      get broken() {
        throw new Error('no')
      },
    }
    expect(toWire({ value, beside: 2 })).toMatchObject({ beside: 2 })
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    expect(() => toWire([revoked.proxy])).not.toThrow()
  })

  it('keeps a field called __proto__ as a field', () => {
    const value = JSON.parse('{"__proto__": {"polluted": true}, "a": 1}')
    expect(JSON.stringify(toWire(value))).toBe('{"__proto__":{"polluted":true},"a":1}')
  })
})
