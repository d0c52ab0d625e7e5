import { expect, test } from 'vitest'
import { checkSchedule, nextRunDate } from './schedule.ts'

function next(
  schedule: string,
  after: string,
  more: { timezone?: string; end_time?: string } = {},
) {
  const { timezone = null, end_time = null } = more
  return nextRunDate({ schedule, timezone, end_time, enabled: true }, Date.parse(after))
}

test.each([
  [
    'every minute, the next one',
    '* * * * *',
    '2026-01-01T09:00:00.000Z',
    '2026-01-01T09:01:00.000Z',
  ],
  ['at nine', '0 9 * * *', '2026-01-01T08:59:59.999Z', '2026-01-01T09:00:00.000Z'],
  ['on weekdays', '0 9 * * 1-5', '2026-01-02T09:00:00.000Z', '2026-01-05T09:00:00.000Z'],
  ['by a nickname', '@daily', '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'],
  ['in a leap year', '0 0 29 2 *', '2026-01-01T00:00:00.000Z', '2028-02-29T00:00:00.000Z'],
])('due %s', (_what, schedule, after, expected) => {
  expect(next(schedule, after)).toBe(expected)
})

test('a time zone has its own nine o’clock, in summer and in winter', () => {
  const timezone = 'Europe/Berlin'
  expect(next('0 9 * * *', '2026-07-01T00:00:00Z', { timezone })).toBe('2026-07-01T07:00:00.000Z')
  expect(next('0 9 * * *', '2026-12-01T00:00:00Z', { timezone })).toBe('2026-12-01T08:00:00.000Z')
  // The night in which half past two does not exist.
  const spring = next('30 2 * * *', '2026-03-29T00:00:00Z', { timezone })
  expect(spring).toBe('2026-03-29T01:00:00.000Z')
})

test('an end is not reached, and what is not enabled is not due', () => {
  const end_time = '2026-01-01T09:00:00.000Z'
  expect(next('0 * * * *', '2026-01-01T07:30:00Z', { end_time })).toBe('2026-01-01T08:00:00.000Z')
  expect(next('0 * * * *', '2026-01-01T08:00:00Z', { end_time })).toBeNull()
  const off = { schedule: '* * * * *', timezone: null, end_time: null, enabled: false }
  expect(nextRunDate(off, 0)).toBeNull()
})

test.each([
  ['soon', null, /"soon" is no schedule: write five fields/],
  ['* * * * * *', null, /write five fields/],
  ['61 * * * *', null, /"61 \* \* \* \*" is no schedule/],
  ['0 0 30 2 *', null, /there is no such day/],
  ['2026-12-01T00:00:00', null, /write five fields/],
  ['@reboot', null, /no schedule/],
  ['', null, /write five fields/],
  ['* * * * *', 'Mars/Phobos', /no time zone "Mars\/Phobos"/],
  ['* * * * *', '', /no time zone/],
])('%j in %j is refused', (schedule, timezone, message) => {
  expect(() => checkSchedule({ schedule, timezone })).toThrow(message)
})
