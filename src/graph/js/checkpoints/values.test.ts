import { HumanMessage } from '@langchain/core/messages'
import { MemorySaver } from '@langchain/langgraph-checkpoint'
import { expect, test } from 'vitest'
import { dump, load } from './values.ts'

const { serde } = new MemorySaver()

test.each<[string, unknown]>([
  ['a list', Array.from({ length: 9_000 }, (_, i) => ({ i, at: [`${i} `.repeat(40)], no: null }))],
  ['a text', 'x"'.repeat(2 ** 20)],
  ['an object', { a: ['x'.repeat(2 ** 21), new Set([1])] }],
])('%s of more than a megabyte is revived as it was', async (_, value) => {
  expect(await load(serde, await dump(serde, value))).toEqual(value)
})

test('messages in a long list are messages again', async () => {
  const messages = Array.from({ length: 3_000 }, (_, i) => new HumanMessage(`${i}`.repeat(200)))
  const revived = (await load(serde, await dump(serde, messages))) as HumanMessage[]
  expect(revived.map(({ content }) => content)).toEqual(messages.map(({ content }) => content))
  expect(revived.every((one) => one instanceof HumanMessage)).toBe(true)
})
