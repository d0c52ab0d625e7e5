/** The one source of time. Tests pass their own. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** A moment, in ms since 1970, as both APIs write it: ISO 8601, UTC, with milliseconds. Such texts sort by time. */
export function momentOf(ms: number): string {
  return new Date(ms).toISOString()
}

/** The present moment. */
export function timestamp(clock: Clock): string {
  return momentOf(clock.now())
}
