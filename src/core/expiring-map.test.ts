import { expect, it } from 'vitest'
import { ExpiringMap } from './expiring-map.ts'

function world(room: { entries: number; weight?: number }) {
  let now = 0
  const map = new ExpiringMap<string>(room, { now: () => now })
  const set = (key: string, weight = 0) => map.set(key, key, { ttlMs: 100, weight })
  const keys = (among: string) => [...among].filter((key) => map.get(key) !== undefined).join('')
  return { map, set, keys, wait: (ms: number) => (now += ms) }
}

it('has a value until its time is up, or until it is set again', () => {
  const { map, set, wait } = world({ entries: 5 })
  set('a')
  wait(99)
  expect(map.get('a')).toBe('a')
  wait(1)
  expect(map.get('a')).toBeUndefined()
  set('a')
  map.set('a', 'other', { ttlMs: 50 })
  expect(map.get('a')).toBe('other')
})

it('makes room by what was not used for longest', () => {
  const { map, set, keys } = world({ entries: 2 })
  set('a')
  set('b')
  map.get('a')
  set('c')
  expect(keys('abc')).toBe('ac')
})

it('makes room by weight, and keeps nothing that is too heavy', () => {
  const { set, keys } = world({ entries: 9, weight: 10 })
  set('a', 4)
  set('b', 4)
  set('b', 5)
  expect(keys('ab')).toBe('ab')
  set('c', 6)
  expect(keys('abc')).toBe('c')
  set('c', 11)
  expect(keys('abc')).toBe('')
  set('d', 10)
  expect(keys('d')).toBe('d')
})
