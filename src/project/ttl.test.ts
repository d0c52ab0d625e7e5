import { expect, test } from 'vitest'
import { CheckpointerConfig, readTtlConfig } from './ttl.ts'

const read = (checkpointer: unknown) => readTtlConfig(CheckpointerConfig.parse(checkpointer))

test('threads are kept for good unless the file says otherwise', () => {
  const nothing = { sweepIntervalMinutes: 5, sweepLimit: 1000 }
  expect(readTtlConfig(undefined)).toEqual(nothing)
  expect(readTtlConfig(null)).toEqual(nothing)
  expect(read({ backend: 'default' })).toEqual(nothing)
  expect(read({ ttl: { strategy: 'keep_latest' } })).toEqual(nothing)
})

test('a time without a strategy deletes', () => {
  expect(read({ ttl: { default_ttl: 10 } })).toEqual({
    defaultTtl: { strategy: 'delete', ttl_minutes: 10 },
    sweepIntervalMinutes: 5,
    sweepLimit: 1000,
  })
})

test('every part can be set', () => {
  const ttl = {
    strategy: 'keep_latest',
    default_ttl: 0.5,
    sweep_interval_minutes: 2,
    sweep_limit: 7,
  }
  expect(read({ ttl })).toEqual({
    defaultTtl: { strategy: 'keep_latest', ttl_minutes: 0.5 },
    sweepIntervalMinutes: 2,
    sweepLimit: 7,
  })
})

test.each([
  { default_ttl: 0 },
  { default_ttl: 'long' },
  { sweep_interval_minutes: -1 },
  { sweep_limit: 1.5 },
  { strategy: 'hide' },
])('%j is no configuration', (ttl) => {
  expect(CheckpointerConfig.safeParse({ ttl }).success).toBe(false)
})
