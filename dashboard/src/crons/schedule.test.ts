import { expect, test } from 'vitest'
import { nextTimes, scheduleText } from './schedule.ts'

test.each([
  ['0 9 * * 1-5', 'At 09:00, Monday through Friday'],
  ['*/5 * * * *', 'Every 5 minutes'],
  ['@daily', 'At 00:00'],
  ['every now and then', 'every now and then'],
])('the schedule %s in words', (schedule, text) => {
  expect(scheduleText(schedule)).toBe(text)
})

test('the next times of a schedule, in its time zone', () => {
  const [first = 0, second = 0] = nextTimes('30 9 * * *', 'Asia/Kolkata', 2) ?? []
  expect(new Date(first).toISOString()).toMatch(/T04:00:00/)
  expect(second - first).toBe(24 * 3_600_000)
  expect(nextTimes('@hourly', null, 3)).toHaveLength(3)
})

test('what is no schedule has no times', () => {
  expect(nextTimes('61 * * * *', null, 1)).toBeUndefined()
  expect(nextTimes('* * * * *', 'Moon/Crater', 1)).toBeUndefined()
})
