/** How long to wait before an agent server that died is started again. */
export interface Backoff {
  /** Before the second restart in a row, in ms; doubled with each further one. The first waits 0. */
  baseMs: number
  /** Never longer than this, in ms. */
  maxMs: number
  /** Healthy for this long, in ms: the next restart is a first one again. */
  resetMs: number
}

export const DEFAULT_BACKOFF: Backoff = { baseMs: 100, maxMs: 10_000, resetMs: 60_000 }

/** `inARow`: how many restarts there were since it was last healthy for `resetMs`. */
export function backoffMs(inARow: number, backoff: Backoff): number {
  return inARow === 0 ? 0 : Math.min(backoff.baseMs * 2 ** (inARow - 1), backoff.maxMs)
}
