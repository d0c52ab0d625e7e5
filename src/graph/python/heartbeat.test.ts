import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { silentLog } from '../../core/log.ts'
import { Heartbeat } from './heartbeat.ts'

let told: string[]
let heartbeat: Heartbeat

beforeEach(() => {
  vi.useFakeTimers()
  told = []
  const note = (_: object, message: string) => void told.push(message)
  const log = { ...silentLog, error: note, warn: note }
  heartbeat = new Heartbeat({ onLost: () => told.push('lost'), log })
})

afterEach(() => {
  heartbeat.stop()
  vi.useRealTimers()
})

const seconds = (count: number) => vi.advanceTimersByTime(count * 1_000)

test('nothing is said of a host that beats, or has not begun to', () => {
  seconds(60)
  for (let i = 0; i < 60; i += 1) {
    heartbeat.beat()
    seconds(1)
  }
  expect(told).toEqual([])
})

test('one that falls silent is told of once, and told when it is back', () => {
  heartbeat.beat()
  seconds(12)
  expect(told).toEqual([expect.stringContaining('none of its runs goes on')])
  heartbeat.beat()
  expect(told[1]).toContain('again')
})

test('one that stays silent is lost, once', () => {
  heartbeat.beat()
  seconds(19)
  expect(told).not.toContain('lost')
  seconds(60)
  expect(told.filter((one) => one === 'lost')).toHaveLength(1)
})

test('a pause of this process is not its', () => {
  heartbeat.beat()
  seconds(1)
  // The timers stood still, and the beats wait to be read.
  vi.setSystemTime(Date.now() + 60_000)
  vi.spyOn(performance, 'now').mockReturnValueOnce(performance.now() + 60_000)
  seconds(1)
  expect(told).toEqual([])
})
