import { describe, expect, it } from 'vitest'
import { type Backoff, backoffMs, keepRunning } from './restarts.ts'

const HOUR_MS = 3_600_000
const backoff: Backoff = { firstMs: 0, baseMs: 100, maxMs: 10_000, resetMs: 60_000 }

it('waits twice as long each time, up to ten seconds', () => {
  const waits = [0, 1, 2, 3, 7, 8, 100].map((inARow) => backoffMs(inARow, backoff))
  expect(waits).toEqual([0, 100, 200, 400, 6400, 10_000, 10_000])
})

describe('what is kept running', () => {
  const { signal } = new AbortController()

  it('is started again until it says that it is not to be', async () => {
    const ends = [0, 0, undefined, 0]
    await keepRunning({
      runOnce: async () => ends.shift(),
      backoff: { ...backoff, baseMs: 0 },
      signal,
    })
    expect(ends).toEqual([0])
  })

  it('is waited for as the first time once it was well for long enough', async () => {
    const ends = [0, HOUR_MS, HOUR_MS, undefined]
    await keepRunning({
      runOnce: async () => ends.shift(),
      // Were any of these restarts a second one in a row, this would not end.
      backoff: { ...backoff, baseMs: HOUR_MS, maxMs: HOUR_MS },
      signal,
    })
    expect(ends).toEqual([])
  })

  it('is not started again once that is called off, and no wait goes on', async () => {
    const abort = new AbortController()
    let runs = 0
    const runOnce = async () => {
      runs += 1
      if (runs === 2) setImmediate(() => abort.abort())
      return 0
    }
    const slow = { ...backoff, baseMs: HOUR_MS, maxMs: HOUR_MS }
    await keepRunning({ runOnce, backoff: slow, signal: abort.signal })
    expect(runs).toBe(2)
  })
})
