import { expect, test } from 'vitest'
import { type MetadataFilter, matchesFilter } from './authorization.ts'

const THING = { owner: 'ann', tags: ['a', 'b'], place: { floor: 1 }, count: 3 }

test.each<[boolean, string, MetadataFilter | undefined]>([
  [true, 'nothing is asked for', undefined],
  [true, 'an empty filter', {}],
  [true, 'a text that is the same', { owner: 'ann' }],
  [false, 'another text', { owner: 'bob' }],
  [false, 'a text for what is a number', { count: '3' }],
  [false, 'what is not there', { team: 'x' }],
  [true, 'any equal JSON', { count: { $eq: 3 }, place: { $eq: { floor: 1 } } }],
  [false, 'JSON that is a part only', { tags: { $eq: ['a'] } }],
  [true, 'a list that contains one', { tags: { $contains: 'a' } }],
  [true, 'a list that contains all of several', { tags: { $contains: ['b', 'a'] } }],
  [false, 'a list that lacks one of several', { tags: { $contains: ['a', 'c'] } }],
  [false, 'what is no list', { owner: { $contains: 'ann' } }],
  [false, 'one key of two', { owner: 'ann', count: { $eq: 4 } }],
  [true, 'either of two', { $or: [{ owner: 'bob' }, { count: { $eq: 3 } }] }],
  [false, 'neither of two', { $or: [{ owner: 'bob' }, { owner: 'eve' }] }],
  [true, 'both of two', { $and: [{ owner: 'ann' }, { tags: { $contains: 'b' } }] }],
  [false, 'one of two that are both asked for', { $and: [{ owner: 'ann' }, { owner: 'bob' }] }],
])('%s: %s', (isSeen, _what, filter) => {
  expect(matchesFilter(THING, filter)).toBe(isSeen)
})
