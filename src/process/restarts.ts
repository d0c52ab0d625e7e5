/** Keeps something running: restarts it when it ends, after a growing wait. */
import { setTimeout as delay } from 'node:timers/promises'

/** How long to wait before a restart; all in ms. */
export interface Backoff {
  /** Before the first restart in a row. */
  firstMs: number
  /** Before the second; doubled with each further one. */
  baseMs: number
  /** Never longer than this. */
  maxMs: number
  /** After running well for this long, the next restart counts as a first one again. */
  resetMs: number
}

interface KeptRunning {
  /** Runs once, to the end. Returns for how long it ran well, in ms; `undefined`: it must not restart. */
  runOnce(): Promise<number | undefined>
  backoff: Backoff
  /** Ends the wait and prevents restarts. The caller ends what runs. */
  signal: AbortSignal
}

/** Resolves when `signal` is aborted and the last run has ended, or when it must not restart. */
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
