import { webcrypto } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { poolRandomValues } from './random-values.ts'

/** The system's own, of which it notes what was asked for. */
function pooled() {
  const asked: number[] = []
  const of = {
    getRandomValues<T extends Parameters<typeof webcrypto.getRandomValues>[0]>(wanted: T): T {
      asked.push((wanted as ArrayBufferView).byteLength)
      return webcrypto.getRandomValues(wanted)
    },
  }
  poolRandomValues(of)
  return { of, asked }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('random values out of a pool', () => {
  it('are others each time, in the array that was given', () => {
    const { of, asked } = pooled()
    const seen = new Set<string>()
    // More than the pool holds.
    for (let id = 0; id < 1_000; id += 1) {
      const wanted = new Uint8Array(16)
      expect(of.getRandomValues(wanted)).toBe(wanted)
      seen.add(hex(wanted))
    }
    expect(seen.size).toBe(1_000)
    expect(asked).toEqual([])
  })

  it('use every value of a byte about as often', () => {
    const { of } = pooled()
    const counts = new Uint32Array(256)
    for (let id = 0; id < 4_000; id += 1) {
      for (const byte of of.getRandomValues(new Uint8Array(64)))
        counts[byte] = (counts[byte] ?? 0) + 1
    }
    // 1,000 of each are expected, with a deviation of 32.
    expect(Math.min(...counts)).toBeGreaterThan(700)
    expect(Math.max(...counts)).toBeLessThan(1_300)
  })

  it('write only what a view shows', () => {
    const { of } = pooled()
    const all = new Uint8Array(48)
    of.getRandomValues(all.subarray(16, 32))
    expect(hex(all.subarray(0, 16)) + hex(all.subarray(32))).toBe('00'.repeat(32))
    expect(hex(all.subarray(16, 32))).not.toBe('00'.repeat(16))
  })

  it('are the system’s own where much is asked for, or other numbers', () => {
    const { of, asked } = pooled()
    of.getRandomValues(new Uint8Array(65))
    of.getRandomValues(new Uint32Array(2))
    expect(asked).toEqual([65, 8])
  })

  it('are refused as the system refuses them', () => {
    const { of } = pooled()
    expect(() => of.getRandomValues(new Float64Array(1) as never)).toThrow(/integer/i)
    expect(() => of.getRandomValues(new Uint8Array(65_537))).toThrow(/65,?536/)
  })
})
