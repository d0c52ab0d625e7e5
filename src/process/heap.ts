/** How much memory a process takes beyond what it needs. */
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'

/** How much garbage may gather before all of it is collected, in percent of what is in use. */
const GROWTH_PERCENT = 35

/**
 * V8 lets its heap grow to several times of what is in use, as long as collecting is slower than filling: `serve` kept
 * 50 MB and took 580. With this limit, 16 clients of the echo graph on SQLite, memory after 5,000, 10,000, 15,000 and
 * 20,000 runs: 381, 384, 388 and 388 MB; without it 407, 523, 581 and 582. A run took 2.35, 2.28 and 1.98 ms of processor time
 * after the first 5,000, and 2.17, 2.09 and 1.95 without. At 25 percent it was 364 to 366 MB, and 2.40, 2.34 and 2.10 ms; at 50
 * the memory grew by up to 9 percent.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
}

/** How often the event loop is looked at, in ms. */
const LOOK_MS = 3_000
/** A loop that has worked for less than this part of the time is idle. */
const IDLE_SHARE = 0.03
/** After so many idle looks memory is given back. */
const LOOKS_BEFORE = 2
/**
 * Time between two looks while memory is given back, in ms: until the next look, new requests wait for a small heap.
 * With looks of 3 s 16 clients got 420 runs a second out of `serve` instead of 510 to 560, for as long.
 */
const GIVING_LOOK_MS = 200
/** So many looks: V8 asks every 8 s whether it should reduce memory, and then collects twice. */
const LOOKS_FOR_V8 = 15_000 / GIVING_LOOK_MS
/** A loop that has worked for more than this part of such a look has something to do; collecting takes less. */
const BUSY_SHARE = 0.25

/**
 * Asks V8 to give memory back when the event loop has been idle for six seconds, once after each busy time. V8 does so
 * after a start, and later if it has collected the whole heap meanwhile. By itself it does so, in small steps, in a
 * process that allocates little; but while nothing has reached the old part of the heap it does not know how little,
 * and waits (`ComputeMutatorUtilization` in its `heap/gc-tracer.cc`). A process in memory-saving mode need not be known
 * to be idle, so this one enters that mode for a while.
 *
 * An idle `serve` of the echo graph from the sources: 236 MB before, 142 after, and no pause of more than 14 ms.
 */
export function giveMemoryBackWhenIdle(): void {
  const watch = new IdleWatch()
  let before = performance.eventLoopUtilization()
  const wait = () => setTimeout(look, watch.lookMs).unref()
  const look = () => {
    const now = performance.eventLoopUtilization()
    const wasGiving = watch.isGiving
    watch.add(performance.eventLoopUtilization(now, before).utilization)
    before = now
    if (watch.isGiving !== wasGiving) {
      setFlagsFromString(watch.isGiving ? '--optimize-for-size' : '--no-optimize-for-size')
    }
    wait()
  }
  wait()
}

/**
 * Decides at each look at the event loop whether to give memory back: `watching` until the loop is idle, `giving` for
 * 15 s, `given` until the loop is busy, then `watching` again. A busy loop ends `giving` too.
 */
export class IdleWatch {
  #phase: 'watching' | 'giving' | 'given' = 'watching'
  /** How many consecutive looks of this phase have found the loop idle. */
  #looks = 0

  get isGiving(): boolean {
    return this.#phase === 'giving'
  }

  /** Until the next look, in ms. */
  get lookMs(): number {
    return this.isGiving ? GIVING_LOOK_MS : LOOK_MS
  }

  /** `share`: for which part of the time since the last look the loop has worked. */
  add(share: number): void {
    if (share >= (this.isGiving ? BUSY_SHARE : IDLE_SHARE)) {
      this.#enter('watching')
      return
    }
    this.#looks += 1
    if (this.#phase === 'watching' && this.#looks === LOOKS_BEFORE) this.#enter('giving')
    if (this.isGiving && this.#looks === LOOKS_FOR_V8) this.#enter('given')
  }

  #enter(phase: 'watching' | 'giving' | 'given'): void {
    this.#phase = phase
    this.#looks = 0
  }
}
