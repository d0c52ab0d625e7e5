/**
 * Random bytes for ids, out of a pool: to ask the system costs 5 µs each time, for many bytes as for few. They are of the
 * same generator, and each is given out once.
 */
import { randomFillSync } from 'node:crypto'

const POOL_BYTES = 4096
const pool = new Uint8Array(POOL_BYTES)
let next = POOL_BYTES

/** Fills the array, of up to 4,096 bytes, with bytes that nobody else gets. */
export function fillRandom(wanted: Uint8Array): void {
  if (next + wanted.length > POOL_BYTES) {
    randomFillSync(pool)
    next = 0
  }
  const end = next + wanted.length
  wanted.set(pool.subarray(next, end))
  // What was given away is known to nobody else.
  pool.fill(0, next, end)
  next = end
}
