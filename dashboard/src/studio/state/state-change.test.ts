import { describe, expect, it } from 'vitest'
import { changedValues, correction } from './state-change.ts'

const human = { type: 'human', id: '1', content: 'hello' }
const ai = { type: 'ai', id: '2', content: 'hi' }

describe('an edited state', () => {
  it('is sent as what changed of it', () => {
    expect(
      changedValues({ a: 1, b: { c: [1], d: 2 } }, { b: { d: 2, c: [1] }, a: 2, e: 3 }),
    ).toEqual({
      a: 2,
      e: 3,
    })
  })

  it('is refused where a key is gone', () => {
    expect(() => changedValues({ a: 1 }, {})).toThrow('"a" cannot be taken out of the state')
  })

  it('sends messages that are new or others, by their ids', () => {
    const edited = { ...human, content: 'good day' }
    const added = { type: 'human', content: 'and?' }
    const send = (messages: unknown[]) =>
      changedValues({ messages: [human, ai] }, { messages }, 'messages').messages
    expect(send([edited, ai])).toEqual([edited])
    expect(send([human, ai, added])).toEqual([added])
  })

  it('sends all messages where one was taken out', () => {
    expect(changedValues({ messages: [human, ai] }, { messages: [human] }, 'messages')).toEqual({
      messages: [{ type: 'remove', id: '__remove_all__', content: '' }, human],
    })
  })

  it('is corrected where a reducer made something else of it', () => {
    expect(correction({ a: [1, 2] }, { a: [1, 2] })).toBeUndefined()
    expect(correction({ list: [1, 1, 2], word: 'x' }, { list: [1, 2], word: 'x' })).toEqual({
      list: { __overwrite__: [1, 2] },
    })
    expect(correction({ messages: [] }, { messages: [human] }, 'messages')).toBeUndefined()
  })
})
