/**
 * Where the gateway should send a deployment's requests.
 *
 * ```
 * nothing was ever deployed              pause
 * it sleeps                              hold-asleep
 * its servers are still going to sleep   hold
 * the active revision is healthy         point
 * it could not be started                pause
 * it is on its way                       hold: long if it starts, briefly if it has died
 * ```
 */

import type { TargetState } from '../deployment/target.ts'
import { type ActiveRevision, type ObservedDeployment, runningActive } from './observed.ts'
import type { DeploymentStep } from './step.ts'

type TargetStep = Extract<DeploymentStep, { kind: 'pause' | 'hold' | 'hold-asleep' | 'point' }>

/** The states of the gateway that each step ends in. */
const ENDS_IN = { pause: 'paused', hold: 'held', 'hold-asleep': 'asleep' } as const

export function targetWanted(deployment: ObservedDeployment): TargetStep | undefined {
  const active = runningActive(deployment)
  if (active?.runtime.kind === 'healthy') {
    return { kind: 'point', revision_id: active.id, endpoints: active.runtime.endpoints }
  }
  // It serves already; only the record is not written yet.
  if (leadsToNext(deployment)) return undefined
  if (active?.runtime.kind === 'failed') return { kind: 'pause' }
  return targetAtRest(deployment)
}

/** Where its requests go while no revision runs. */
export function targetAtRest({
  active,
  isAsleep,
}: {
  /** Without `runtime`, before that was observed: it is starting. */
  active: Partial<Pick<ActiveRevision, 'runtime'>> | null
  isAsleep: boolean
}): Exclude<TargetStep, { kind: 'point' }> {
  if (active === null) return { kind: 'pause' }
  if (isAsleep) return { kind: 'hold-asleep' }
  return { kind: 'hold', isRestart: active.runtime?.kind === 'restarting' }
}

export function isAsWanted(target: TargetState, wanted: TargetStep): boolean {
  if (wanted.kind !== 'point') return target.kind === ENDS_IN[wanted.kind]
  if (target.kind !== 'serving' || target.revision_id !== wanted.revision_id) return false
  return JSON.stringify(target.endpoints) === JSON.stringify(wanted.endpoints)
}

/** Whether its requests already go to the next revision, which is healthy. */
function leadsToNext({ line, target }: ObservedDeployment): boolean {
  if (target.kind !== 'serving') return false
  const next = line.find(({ status }) => status === 'DEPLOYING')
  return next?.id === target.revision_id && next.runtime.kind === 'healthy'
}
