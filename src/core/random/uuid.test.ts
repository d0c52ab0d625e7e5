import { expect, test } from 'vitest'
import { newUuid } from './uuid.ts'

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('an id is a UUID of version 7, and no two are alike', () => {
  const ids = Array.from({ length: 10_000 }, newUuid)
  expect(ids.filter((id) => !VERSION_7.test(id))).toEqual([])
  expect(new Set(ids).size).toBe(ids.length)
})

test('an id begins with the time', () => {
  const before = Date.now()
  const time = Number.parseInt(newUuid().replace('-', '').slice(0, 12), 16)
  expect(time).toBeGreaterThanOrEqual(before)
  expect(time).toBeLessThanOrEqual(Date.now())
})
