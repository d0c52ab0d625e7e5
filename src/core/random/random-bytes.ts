/**
 * Random bytes for ids, from a pool: a call of the system costs 5 µs, for many bytes as for few. They come from the
 * same generator, and each byte is used once.
 */
import { randomFillSync } from 'node:crypto'

const POOL_BYTES = 4096
const pool = new Uint8Array(POOL_BYTES)
let next = POOL_BYTES

/** Fills the array, of up to 4,096 bytes, with bytes that are used once. */
export function fillRandom(wanted: Uint8Array): void {
  if (next + wanted.length > POOL_BYTES) {
    randomFillSync(pool)
    next = 0
  }
  const end = next + wanted.length
  wanted.set(pool.subarray(next, end))
  // The pool keeps no copy of used bytes.
  pool.fill(0, next, end)
  next = end
}
