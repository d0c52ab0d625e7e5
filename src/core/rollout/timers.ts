/** The timers of a deployment's active revision, between passes. */

import { type ActiveRevision, hasFailed, type RevisionOnItsWay, type Timers } from './observed.ts'
import { isPressed } from './scaling.ts'
import type { DeploymentStep } from './step.ts'

/** How long to wait before an active revision that could not be started is tried again, in ms. */
const FIRST_RETRY_MS = 1000
const LAST_RETRY_MS = 60_000

export const NO_TIMERS: Timers = { revision_id: null, retry: null, pressedAt: null, waited: null }

/** The timers after this observation. */
export function followTimers(known: Timers, active: ActiveRevision | null, now: number): Timers {
  if (active === null) return NO_TIMERS
  const timers = known.revision_id === active.id ? known : { ...NO_TIMERS, revision_id: active.id }
  if (active.runtime.kind === 'healthy') {
    const pressedAt = isPressed(active.replicas) ? now : (timers.pressedAt ?? now)
    return { ...timers, retry: null, pressedAt }
  }
  if (!hasFailed(active)) return timers
  return { ...timers, retry: timers.retry ?? retryAfter(FIRST_RETRY_MS, now) }
}

/** Which revision waits, or did: its wait must not count as start time. */
export function followWaiting(
  known: Timers['waited'],
  line: readonly Pick<RevisionOnItsWay, 'id' | 'runtime'>[],
  now: number,
): Timers['waited'] {
  const waiting = line.find(({ runtime }) => runtime.kind === 'starting' && runtime.reason)
  if (waiting) return { revision_id: waiting.id, at: now }
  return line.some(({ id }) => id === known?.revision_id) ? known : null
}

/** The timers after this step: the retries become ever rarer. */
export function timersAfter(step: DeploymentStep, timers: Timers, now: number): Timers {
  if (step.kind === 'scale') return { ...timers, pressedAt: now }
  if (step.kind !== 'retry' || !timers.retry) return timers
  const afterMs = Math.min(2 * timers.retry.afterMs, LAST_RETRY_MS)
  return { ...timers, retry: retryAfter(afterMs, now) }
}

function retryAfter(afterMs: number, now: number) {
  return { afterMs, at: now + afterMs }
}
