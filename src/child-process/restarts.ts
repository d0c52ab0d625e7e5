/** Keeps something running: when it has ended it is started again, after a wait that grows. */
import { setTimeout as delay } from 'node:timers/promises'

/** How long to wait before what has ended is started again; all in ms. */
export interface Backoff {
  /** Before the first restart in a row. */
  firstMs: number
  /** Before the second; doubled with each further one. */
  baseMs: number
  /** Never longer than this. */
  maxMs: number
  /** What was well for this long has its next restart counted as a first one again. */
  resetMs: number
}

interface KeptRunning {
  /**
   * Runs it once, to its end. Answers for how long it was well, in ms; `undefined`: it is not to be
   * started again.
   */
  runOnce(): Promise<number | undefined>
  backoff: Backoff
  /** Ends the wait, and starts nothing again. What runs is the caller's to end. */
  signal: AbortSignal
}

/** Settles when `signal` is aborted and what ran has ended, or when it is not to be started again. */
export async function keepRunning({ runOnce, backoff, signal }: KeptRunning): Promise<void> {
  for (let inARow = 0; !signal.aborted; inARow++) {
    const wellMs = await runOnce()
    if (wellMs === undefined) return
    if (wellMs >= backoff.resetMs) inARow = 0
    await delay(backoffMs(inARow, backoff), undefined, { signal }).catch(() => {})
  }
}

/** `inARow`: how many restarts there were since it was last well for `resetMs`. */
export function backoffMs(inARow: number, { firstMs, baseMs, maxMs }: Backoff): number {
  return inARow === 0 ? firstMs : Math.min(baseMs * 2 ** (inARow - 1), maxMs)
}
