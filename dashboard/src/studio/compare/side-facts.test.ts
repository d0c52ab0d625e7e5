import { describe, expect, it } from 'vitest'
import { messagesOf, pairMessages, restOf, tokensOf } from './side-facts.ts'

const human = { type: 'human', id: '1', content: 'hello' }
const ai = { type: 'ai', id: '2', content: 'hi', usage_metadata: { total_tokens: 7 } }

describe('the facts of a side', () => {
  it('find the messages of a state, and what they took', () => {
    expect(messagesOf({ topic: 'x', list: [1], chat: [human, ai] })).toEqual([human, ai])
    expect(messagesOf({ list: [] })).toEqual([])
    expect(restOf({ topic: 'x', chat: [human, ai] })).toEqual({ topic: 'x' })
    expect(tokensOf([human, ai, { ...ai, id: '3' }])).toBe(14)
    expect(tokensOf([human])).toBeUndefined()
  })

  it('pair messages by their place, and tell those that say the same', () => {
    const pairs = pairMessages([human, ai], [{ ...human, id: '9' }, { ...ai, content: 'no' }, ai])
    expect(pairs.map(({ isSame }) => isSame)).toEqual([true, false, false])
    expect(pairs[2]).toMatchObject({ left: undefined, right: ai })
  })
})
