/**
 * How many agent servers a deployment has, from their reports. One more when work waits or the event loops are late,
 * one at a time; one fewer after a while with spare capacity. They share one database, so each can do any of the work.
 */

import type { Replica } from '../deployment/runtime.ts'
import type { JsonObject } from '../json.ts'

export interface ScaleLimits {
  /** 0: it may sleep, and has one while it is awake. */
  min: number
  /** At least 1, and at least `min`. */
  max: number
}

/** An event loop that is later than this is overloaded, in ms. */
const LATE_MS = 250

/** `min_scale` (default 1) and `max_scale` (default: the minimum). */
export function scaleLimits(resource_spec: JsonObject | null): ScaleLimits {
  const { min_scale, max_scale } = resource_spec ?? {}
  const min = typeof min_scale === 'number' ? min_scale : 1
  const max = typeof max_scale === 'number' ? max_scale : 1
  return { min, max: Math.max(1, min, max) }
}

/**
 * How many there should be now. `isCalm`: the last overload was long enough ago. While some are starting, it waits:
 * they may be enough.
 */
export function replicasWanted(
  replicas: readonly Replica[],
  { min, max }: ScaleLimits,
  isCalm: boolean,
): number {
  const count = replicas.length
  const least = Math.max(1, min)
  if (count < least || count > max) return Math.min(max, Math.max(least, count))
  if (replicas.some((one) => one.state !== 'healthy' || one.load === null)) return count
  if (isPressed(replicas)) return Math.min(max, count + 1)
  return isCalm && hasRoomForOneFewer(replicas) ? Math.max(least, count - 1) : count
}

/** Whether the agent servers are overloaded. */
export function isPressed(replicas: readonly Replica[]): boolean {
  const loads = replicas.flatMap(({ load }) => load ?? [])
  return loads.some(({ waiting }) => waiting > 0) || loads.every(({ lag_ms }) => lag_ms > LATE_MS)
}

/** The others would be half full at most. */
function hasRoomForOneFewer(replicas: readonly Replica[]): boolean {
  const loads = replicas.flatMap(({ load }) => load ?? [])
  const running = loads.reduce((sum, load) => sum + load.running, 0)
  const capacity = loads.slice(1).reduce((sum, load) => sum + load.capacity, 0)
  return running <= capacity / 2
}
