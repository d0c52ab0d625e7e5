/** When a deployment may sleep: `min_scale` is 0, it gets no requests and nothing is due soon. */

import { haveOwnAuth } from '../deployment/runtime.ts'
import { isWanted } from '../deployment/target.ts'
import { type ObservedDeployment, runningActive } from './observed.ts'
import type { DeploymentStep } from './step.ts'

export function isIdle(deployment: ObservedDeployment): boolean {
  const { now, limits } = deployment
  const since = quietSince(deployment)
  if (since === undefined || now - since < limits.idleMs) return false
  const soon = now + limits.idleMs
  const { replicas = [] } = deployment.active ?? {}
  return replicas.every(({ load }) => load?.running === 0 && (load.next_due_at ?? soon + 1) > soon)
}

/** Since when it is quiet, in ms since 1970. `undefined`: it is in use, or may not sleep. */
export function quietSince(deployment: ObservedDeployment): number | undefined {
  const active = runningActive(deployment)
  if (active?.runtime.kind !== 'healthy' || active.limits.min > 0) return undefined
  if (deployment.line.length > 0 || deployment.activity.open > 0 || isWanted(deployment.target))
    return undefined
  return Math.max(deployment.activity.last_at, ...active.replicas.map(({ since }) => since))
}

/** It wakes when its first work is due. */
export function sleepOf({ active }: ObservedDeployment): DeploymentStep {
  const dues = active?.replicas.flatMap(({ load }) => load?.next_due_at ?? []) ?? []
  const hasOwnAuth = active?.runtime.kind === 'healthy' && haveOwnAuth(active.runtime.endpoints)
  return { kind: 'sleep', wakeAt: dues.length > 0 ? Math.min(...dues) : null, hasOwnAuth }
}
