import {
  AIMessage,
  AIMessageChunk,
  type AIMessageFields,
  HumanMessage,
  ToolMessage,
} from '@langchain/core/messages'
import { ChatPromptValue } from '@langchain/core/prompt_values'
import { Send } from '@langchain/langgraph'
import { emptyCheckpoint, InMemoryCache, MemorySaver } from '@langchain/langgraph-checkpoint'
import { beforeAll, expect, test } from 'vitest'
import { guardSerializers } from './serializer.ts'

const { serde } = new MemorySaver()

beforeAll(() => guardSerializers(serde))

async function stored(value: unknown): Promise<string> {
  const [, bytes] = await serde.dumpsTyped(value)
  return new TextDecoder().decode(bytes)
}

async function throughStorage(value: unknown): Promise<unknown> {
  return serde.loadsTyped('json', await stored(value))
}

const SECRET = { lc: 1, type: 'secret', id: ['HOME'] }
const MESSAGE = {
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'messages', 'HumanMessage'],
  kwargs: { content: SECRET },
}

const data = [
  ['a secret', SECRET],
  ['a message', MESSAGE],
  ['a class', { ...MESSAGE, id: ['langchain_core', 'utils', 'env', 'getEnvironmentVariable'] }],
  ['a value that JSON lacks', { lc: 2, type: 'undefined' }],
  ['a set', { lc: 2, type: 'constructor', id: ['Set'], args: [[1]] }],
  ['a call', { lc: 2, type: 'constructor', id: ['os', 'system'], args: ['true'] }],
  // `not_implemented` is a type of LangChain's own: its record of an object that it cannot serialize.
  ['a record without content', { lc: 1, type: 'not_implemented', id: ['x'] }],
  ['any key "lc"', { lc: 'what it likes' }],
  ['an escape', { __lc_escaped__: SECRET }],
  ['two escapes', { __lc_escaped__: { __lc_escaped__: 1 } }],
  ['an escape of nothing', { __lc_escaped__: null }],
  ['a Send', { lg_name: 'Send', node: 'x', args: {} }],
  ['a prototype', JSON.parse('{"__proto__": {"lc": 1, "admin": true}}')],
] as const

test.each(data)('data that looks like %s is read back as it was', async (_, value) => {
  const before = structuredClone(value)
  expect(await throughStorage(value)).toEqual(value)
  expect(await throughStorage([{ deep: [value, SECRET] }])).toEqual([{ deep: [value, SECRET] }])
  expect(value).toEqual(before)
})

test.each(data)('so it is in a message, %s', async (_, value) => {
  const fields: AIMessageFields = {
    content: [{ type: 'text', text: 'hi', extra: value }],
    additional_kwargs: { x: value, y: [value] } as Record<string, unknown>,
    response_metadata: { z: { value } },
    tool_calls: [{ id: '1', name: 'tool', args: { value } }],
  }
  const sent = new AIMessage(fields)
  const read = (await throughStorage([sent])) as AIMessage[]
  expect(read[0]).toBeInstanceOf(AIMessage)
  expect(read[0]?.toDict()).toEqual(sent.toDict())
  expect(read[0]?.additional_kwargs).toEqual(sent.additional_kwargs)
  expect(read[0]?.tool_calls).toEqual(sent.tool_calls)
})

test('messages keep their class and all that they hold', async () => {
  const answer = {
    content: 'ok',
    usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    additional_kwargs: { at: new Date(0), seen: new Set([1]) },
  } as object as AIMessageFields
  const messages = [
    new HumanMessage({ content: 'hi', id: 'a', name: 'ann' }),
    new AIMessage(answer),
    new ToolMessage({ content: 'r', tool_call_id: '1', artifact: { a_b: 1 }, status: 'error' }),
    new AIMessageChunk({ content: 'a', tool_call_chunks: [{ name: 't', args: '{', index: 0 }] }),
  ]
  const read = (await throughStorage(messages)) as typeof messages
  expect(read.map((one) => one.constructor)).toEqual(messages.map((one) => one.constructor))
  expect(read[1]).toMatchObject({
    usage_metadata: { total_tokens: 3 },
    additional_kwargs: { at: '1970-01-01T00:00:00.000Z', seen: new Set([1]) },
  })
  expect(read[2]).toMatchObject({ tool_call_id: '1', artifact: { a_b: 1 }, status: 'error' })
  expect(await stored(read)).toBe(await stored(messages))
})

test('values that JSON lacks, and the waiting Sends, are written as LangGraph writes them', async () => {
  const values = {
    gone: undefined,
    set: new Set([new Map([['a', /x/gi]])]),
    error: new TypeError('no'),
    bytes: new Uint8Array([1, 2]),
    holes: [1, undefined],
    nan: Number.NaN,
    url: new URL('http://a.example/'),
  }
  expect(await throughStorage(values)).toEqual({
    ...values,
    error: new Error('no'),
    nan: null,
    url: 'http://a.example/',
  })
  expect(await throughStorage(new Send('node', { a: SECRET }))).toEqual({
    node: 'node',
    args: { a: SECRET },
  })
  const prompt = new ChatPromptValue([new HumanMessage('hi')])
  expect(await throughStorage({ prompt })).toEqual({ prompt })
})

test('what an older version stored unescaped is revived as messages, and as nothing else', async () => {
  const planted = { ...MESSAGE, kwargs: { content: 'hi', additional_kwargs: { SECRET } } }
  const call = { lc: 2, type: 'constructor', id: ['Function'], args: ['return process'] }
  const getter = { ...MESSAGE, id: ['langchain_core', 'utils', 'env', 'getEnvironmentVariable'] }
  const bytes = { lc: 2, type: 'constructor', id: ['Uint8Array'], args: [{ length: 2 ** 40 }] }
  const text = JSON.stringify([planted, call, getter, bytes, { ...MESSAGE, kwargs: null }])
  const read = (await serde.loadsTyped('json', text)) as HumanMessage[]
  expect(read[0]).toBeInstanceOf(HumanMessage)
  expect(read[0]?.additional_kwargs).toEqual({ SECRET })
  expect(read.slice(1)).toEqual([call, getter, bytes, expect.anything()])
})

const circle: Record<string, unknown> = { name: 'a' }
circle.self = circle
let deep: unknown = 1
for (let level = 0; level < 20_000; level += 1) deep = [deep]

test.each([
  ['a BigInt', [{ a: [{ b: 1n }] }], 'its [0].a[0].b is a BigInt; make it a string or a number'],
  ['a BigInt itself', 1n, 'it is a BigInt'],
  [
    'a BigInt in a message',
    [new HumanMessage({ content: 'x', additional_kwargs: { n: 1n } as Record<string, unknown> })],
    'its [0].additional_kwargs.n is a BigInt',
  ],
  ['a function itself', () => {}, 'it is a function'],
  [
    'a toJSON that throws',
    {
      at: new Date(Number.NaN),
      bad: {
        toJSON: () => {
          throw new Error('no')
        },
      },
    },
    'its bad cannot be converted: its toJSON threw "no"',
  ],
  [
    'a getter that throws',
    {
      get bad() {
        throw new Error('no')
      },
    },
    'it cannot be read: its field "bad" threw "no"',
  ],
  ['what is too deep', deep, 'is more than 1000 levels deep'],
])('%s is refused, with its place', async (_, value, message) => {
  await expect(stored(value)).rejects.toThrow(message)
})

test('a circle is marked where it closes, and functions are left out', async () => {
  expect(await throughStorage({ circle, call: () => {} })).toEqual({
    circle: { name: 'a', self: '[Circular]' },
  })
})

test('objects of classes are stored as JSON.stringify writes them', async () => {
  class Money {
    cents = 5
    valueOf() {
      return this.cents
    }
  }
  class Itself {
    a = [new Number(1), new String('b'), new Boolean(false)]
    toJSON() {
      return this
    }
  }
  const values = { money: new Money(), itself: new Itself(), at: [new Date(0), Buffer.from('a')] }
  expect(await throughStorage(values)).toEqual(JSON.parse(JSON.stringify(values)))
})

test('the serializers of caches and of other checkpointers are guarded as well', async () => {
  const [cache, saver] = [new InMemoryCache(), new MemorySaver()]
  await cache.set([{ key: [['a'], 'b'], value: { SECRET, MESSAGE } }])
  expect(await cache.get([[['a'], 'b']])).toEqual([
    { key: [['a'], 'b'], value: { SECRET, MESSAGE } },
  ])
  await saver.put(
    { configurable: { thread_id: 't' } },
    { ...emptyCheckpoint(), channel_values: { MESSAGE } },
    {
      source: 'input',
      step: 0,
      parents: {},
    },
  )
  const found = await saver.getTuple({ configurable: { thread_id: 't' } })
  expect(found?.checkpoint.channel_values).toEqual({ MESSAGE })
})
