/** Deployments as they may be observed; a test changes what it is about. */

import type { Endpoints, Load, Replica } from '../../../src/core/deployment/runtime.ts'
import { CLOSED } from '../../../src/core/deployment/target.ts'
import type { ActiveRevision, ObservedDeployment } from '../../../src/core/rollout/observed.ts'
import { LIMITS } from './simulated-deployment.ts'

export const NOW = Date.parse('2026-01-01T12:00:00Z')
export const endpoints: Endpoints = [{ url: 'http://127.0.0.1:4000', token: 'token' }]

/** An agent server that has been healthy for an hour and has nothing to do. */
export function aReplica(load: Partial<Load> = {}, change: Partial<Replica> = {}): Replica {
  const idle = { running: 0, capacity: 4, waiting: 0, lag_ms: 0, next_due_at: null }
  const since = NOW - 3_600_000
  const healthy = { state: 'healthy', since, restarts: 0, reason: null } as const
  return { ...healthy, load: { ...idle, ...load }, ...change }
}

/** Deployed an hour ago and healthy. */
export function anActiveRevision(change: Partial<ActiveRevision> = {}): ActiveRevision {
  return {
    id: 'active',
    status: 'DEPLOYED',
    built_from: null,
    deployed_at: new Date(NOW - 3_600_000).toISOString(),
    build: { kind: 'built' },
    runtime: { kind: 'healthy', endpoints },
    replicas: [aReplica()],
    limits: { min: 1, max: 1 },
    previous: null,
    ...change,
  }
}

/** One whose active revision serves, with nothing left to do. */
export function anObservedDeployment(
  change: Partial<ObservedDeployment> = {},
  active: Partial<ActiveRevision> = {},
): ObservedDeployment {
  return {
    status: 'READY',
    hasRevisions: true,
    isAsleep: false,
    wakeAt: null,
    active: anActiveRevision(active),
    line: [],
    running: [{ id: 'active', isRetiring: false }],
    building: [],
    entrance: { wanted: CLOSED, there: CLOSED },
    target: { kind: 'serving', revision_id: 'active', endpoints },
    activity: { open: 0, last_at: NOW - 3_600_000 },
    timers: { revision_id: 'active', retry: null, pressedAt: NOW - 3_600_000, waited: null },
    limits: LIMITS,
    now: NOW,
    ...change,
  }
}
