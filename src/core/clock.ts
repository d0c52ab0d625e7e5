/** The one source of time. Tests hand in their own. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** A moment as both APIs write it: ISO 8601, UTC, milliseconds. Sorts as text. */
export function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString()
}
