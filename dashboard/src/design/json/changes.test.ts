import { describe, expect, it } from 'vitest'
import { changeBetween, countChanges } from './changes.ts'

describe('the change between two JSON values', () => {
  it('is nothing where they say the same', () => {
    expect(changeBetween({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toBeUndefined()
  })

  it('names keys that came, went and changed, and counts the others', () => {
    const change = changeBetween({ a: 1, b: 2, c: 3, d: 4 }, { a: 1, b: 3, d: 4, e: 5 })
    expect(change).toEqual({
      kind: 'within',
      name: '',
      isList: false,
      unchanged: 2,
      changes: [
        { kind: 'changed', name: 'b', before: 2, after: 3 },
        { kind: 'removed', name: 'c', value: 3 },
        { kind: 'added', name: 'e', value: 5 },
      ],
    })
    expect(countChanges(change)).toBe(3)
  })

  it('follows entries of a list by their id', () => {
    const [one, two, three] = ['1', '2', '3'].map((id) => ({ id, text: id }))
    const change = changeBetween([one, two], [{ id: '2', text: 'two' }, three])
    expect(change).toEqual({
      kind: 'within',
      name: '',
      isList: true,
      unchanged: 0,
      changes: [
        { kind: 'removed', name: '0', value: one },
        {
          kind: 'within',
          name: '0',
          isList: false,
          unchanged: 1,
          changes: [{ kind: 'changed', name: 'text', before: '2', after: 'two' }],
        },
        { kind: 'added', name: '1', value: three },
      ],
    })
  })

  it('takes an entry without an id for the same where it stands at the same place', () => {
    const change = changeBetween([{ n: 1 }, 'a', 'c'], [{ n: 2 }, 'b', 'c'])
    expect(change).toMatchObject({
      unchanged: 1,
      changes: [
        { kind: 'within', name: '0', changes: [{ kind: 'changed', before: 1, after: 2 }] },
        { kind: 'changed', name: '1', before: 'a', after: 'b' },
      ],
    })
  })

  it('tells a move as one', () => {
    const list = ['1', '2', '3'].map((id) => ({ id }))
    const change = changeBetween(list, [list[2], list[0], list[1]])
    expect(change).toMatchObject({
      unchanged: 2,
      changes: [{ kind: 'moved', from: '2', name: '0', value: { id: '3' } }],
    })
  })

  it('tells values of different kinds, and the whole, as changed', () => {
    expect(changeBetween('a', { b: 1 })).toEqual({
      kind: 'changed',
      name: '',
      before: 'a',
      after: { b: 1 },
    })
    expect(changeBetween(undefined, 1)).toEqual({ kind: 'added', name: '', value: 1 })
    expect(changeBetween(1, undefined)).toEqual({ kind: 'removed', name: '', value: 1 })
  })

  it('takes no time over long lists: an entry more, or all of them others', () => {
    const long = Array.from({ length: 200_000 }, (_, n) => n)
    const began = performance.now()
    expect(changeBetween(long, [...long, 'more'])).toMatchObject({
      unchanged: 200_000,
      changes: [{ kind: 'added', name: '200000', value: 'more' }],
    })
    const others = long.map((n) => -n - 1)
    expect(changeBetween({ long }, { long: others })).toMatchObject({
      changes: [{ kind: 'changed', name: 'long', before: long, after: others }],
    })
    // A second or so; to compare each entry with each would take many minutes.
    expect(performance.now() - began).toBeLessThan(60_000)
  })
})
