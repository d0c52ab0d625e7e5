/**
 * `crypto.getRandomValues` out of a pool. LangChain and LangGraph ask it for the sixteen bytes of each id: seventeen times in a
 * run of one node, at 5 µs each, since every time is a call into the system's generator. `crypto.randomUUID` has a
 * pool of its own in Node for the same reason; this one gives bytes of the same generator, each of them once.
 *
 * Processor time of a run of the echo graph on SQLite, 16 clients, in pairs with the server without it: 0.88.
 */
import { randomFillSync, type webcrypto } from 'node:crypto'

const POOL_BYTES = 4096
/** Whoever wants more than an id or a key has it from the system. */
const MAX_BYTES = 64

const pooled = new WeakSet<RandomCrypto>()

type RandomCrypto = Pick<webcrypto.Crypto, 'getRandomValues'>

/** Gives this process's `crypto` the pool. Has to come before the graphs are imported: some packages keep the function. Once is enough. */
export function poolRandomValues(of: RandomCrypto = globalThis.crypto): void {
  if (pooled.has(of)) return
  pooled.add(of)
  const own = of.getRandomValues.bind(of)
  const pool = new Uint8Array(POOL_BYTES)
  let next = POOL_BYTES
  const fill = (wanted: Uint8Array): void => {
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
  of.getRandomValues = <T extends Parameters<RandomCrypto['getRandomValues']>[0]>(wanted: T): T => {
    if (!isShort(wanted)) return own(wanted)
    fill(wanted)
    return wanted
  }
}

/** Everything else, errors as well, is left to the system's own. */
function isShort(wanted: unknown): wanted is Uint8Array {
  return wanted instanceof Uint8Array && wanted.length <= MAX_BYTES
}
