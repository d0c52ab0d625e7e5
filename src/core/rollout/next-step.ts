/**
 * What to do next about a deployment. The reconciler observes, asks here, does the one thing that is named, and
 * observes again. The first rule with a step names it: first the rules about the deployment's record, then about its
 * requests, then about what runs, so that nothing ends while requests are still sent to it.
 */

import { isDeepStrictEqual } from 'node:util'
import { haveOwnAuth } from '../deployment/runtime.ts'
import { isWanted } from '../deployment/target.ts'
import { deathOnProbation, hasFailed, type ObservedDeployment, runningActive } from './observed.ts'
import { nextRevisionStep } from './revision-step.ts'
import { replicasWanted } from './scaling.ts'
import type { Decision, DeploymentStep } from './step.ts'
import { isAsWanted, targetWanted } from './target-wanted.ts'

interface Rule {
  /** When it applies, for the log. */
  why: string
  step: (deployment: ObservedDeployment) => DeploymentStep | undefined
}

export const RULES: readonly Rule[] = [
  { why: 'its deletion was requested', step: remove },
  { why: 'it is new (its agent server makes the database), or it is used again', step: makeReady },
  { why: 'the rules of access to it have changed', step: enter },
  { why: 'its active revision died too soon', step: takeBack },
  { why: 'it sleeps, and has a request or work', step: wake },
  { why: 'it had no request for a while', step: sleep },
  { why: 'the target of its requests has changed', step: direct },
  { why: 'a build is not needed any more', step: abort },
  { why: 'a running revision is not needed any more', step: retire },
  { why: 'its active revision does not run', step: bringBack },
  { why: 'its active revision could not be started', step: retry },
  { why: 'its load has changed', step: scale },
  { why: 'a revision is on its way', step: rollOut },
  { why: 'none of its revisions was ever deployed', step: makeUnused },
]

/** Names the one next step. */
export function nextDeploymentStep(deployment: ObservedDeployment): Decision {
  for (const rule of RULES) {
    const step = rule.step(deployment)
    if (step) return { step, why: rule.why }
  }
  return { step: null, until: nextMoment(deployment) }
}

function remove({ status }: ObservedDeployment): DeploymentStep | undefined {
  return status === 'AWAITING_DELETE' ? { kind: 'remove' } : undefined
}

function makeReady(deployment: ObservedDeployment): DeploymentStep | undefined {
  const { status } = deployment
  const isNew = status === 'AWAITING_DATABASE'
  const isUsedAgain = status === 'UNUSED' && !isUnused(deployment)
  return isNew || isUsedAgain ? { kind: 'make-ready' } : undefined
}

function makeUnused(deployment: ObservedDeployment): DeploymentStep | undefined {
  const isWrong = deployment.status === 'READY' && isUnused(deployment)
  return isWrong ? { kind: 'make-unused' } : undefined
}

/** All revisions have failed: nothing serves, and none is on its way. */
function isUnused({ active, line, hasRevisions }: ObservedDeployment): boolean {
  return hasRevisions && active === null && line.length === 0
}

function enter({ entrance: { wanted, there } }: ObservedDeployment): DeploymentStep | undefined {
  return isDeepStrictEqual(wanted, there) ? undefined : { kind: 'enter', entrance: wanted }
}

function takeBack({ active, limits, now }: ObservedDeployment): DeploymentStep | undefined {
  const reason = active && deathOnProbation(active, now, limits.probationMs)
  if (!active || !reason || active.previous === null) return undefined
  return { kind: 'take-back', revision_id: active.id, reason }
}

function wake({ isAsleep, wakeAt, target, now }: ObservedDeployment): DeploymentStep | undefined {
  const isDue = wakeAt !== null && wakeAt <= now
  return isAsleep && (isDue || isWanted(target)) ? { kind: 'wake' } : undefined
}

/** Its requests are held first, so that none is lost between the decision and the end. */
function sleep(deployment: ObservedDeployment): DeploymentStep | undefined {
  if (!isIdle(deployment)) return undefined
  return deployment.target.kind === 'asleep' ? sleepOf(deployment) : { kind: 'hold-asleep' }
}

function direct(deployment: ObservedDeployment): DeploymentStep | undefined {
  const wanted = targetWanted(deployment)
  return !wanted || isAsWanted(deployment.target, wanted) ? undefined : wanted
}

function abort(deployment: ObservedDeployment): DeploymentStep | undefined {
  const revision_id = deployment.building.find((id) => !isNeeded(deployment, id))
  return revision_id === undefined ? undefined : { kind: 'abort', revision_id }
}

function retire(deployment: ObservedDeployment): DeploymentStep | undefined {
  const one = deployment.running.find(
    ({ id, isRetiring }) => !isRetiring && !isNeeded(deployment, id),
  )
  return one && { kind: 'retire', revision_id: one.id }
}

/** Builds it first if its build is gone. */
function bringBack(deployment: ObservedDeployment): DeploymentStep | undefined {
  const active = runningActive(deployment)
  if (!active || (active.runtime.kind !== 'absent' && !hasFailed(active))) return undefined
  const { id: revision_id, build, runtime } = active
  if (build.kind === 'absent') return { kind: 'build', revision_id }
  if (build.kind !== 'built' || runtime.kind !== 'absent') return undefined
  return { kind: 'start', revision_id, isStandby: false }
}

function retry(deployment: ObservedDeployment): DeploymentStep | undefined {
  const active = runningActive(deployment)
  if (!active || !hasFailed(active) || !deployment.timers.retry) return undefined
  if (deployment.now < deployment.timers.retry.at) return undefined
  const { runtime, build, id: revision_id } = active
  const failure = runtime.kind === 'failed' ? runtime : build
  return { kind: 'retry', revision_id, reason: 'reason' in failure ? failure.reason : '' }
}

function scale(deployment: ObservedDeployment): DeploymentStep | undefined {
  const active = runningActive(deployment)
  if (active?.runtime.kind !== 'healthy') return undefined
  const { id: revision_id, replicas, limits } = active
  const calmSince = deployment.timers.pressedAt ?? deployment.now
  const wanted = replicasWanted(
    replicas,
    limits,
    deployment.now - calmSince >= deployment.limits.calmMs,
  )
  if (wanted === replicas.length && replicas.every(({ state }) => state !== 'failed')) return
  return { kind: 'scale', revision_id, replicas: wanted }
}

/** The oldest revision of the line that has a step. */
function rollOut({ line, limits, now }: ObservedDeployment): DeploymentStep | undefined {
  for (const [place, { id: revision_id, since, ...revision }] of line.entries()) {
    const step = nextRevisionStep({
      ...revision,
      isFirstInLine: place === 0,
      isSuperseded: place < line.length - 1,
      deployingMs: now - since,
      deployTimeoutMs: limits.deployTimeoutMs,
    })
    if (step.kind === 'start') return { ...step, revision_id, isStandby: true }
    if (step.kind !== 'wait') return { ...step, revision_id }
  }
  return undefined
}

/** Serving, or on its way to. */
function isNeeded({ isAsleep, active, line }: ObservedDeployment, revision_id: string): boolean {
  if (line.some(({ id }) => id === revision_id)) return true
  return !isAsleep && active?.id === revision_id
}

/** When it may need a step although nothing has changed, in ms since 1970; `null`: never. */
function nextMoment(deployment: ObservedDeployment): number | null {
  const moments = [
    ...whenWoken(deployment),
    ...whenTriedAgain(deployment),
    ...whenFewer(deployment),
  ]
  const { idleMs, deployTimeoutMs } = deployment.limits
  const quiet = quietSince(deployment)
  if (quiet !== undefined) moments.push(quiet + idleMs)
  for (const { status, since } of deployment.line) {
    if (status === 'DEPLOYING') moments.push(since + deployTimeoutMs)
  }
  const ahead = moments.filter((moment) => moment > deployment.now)
  return ahead.length > 0 ? Math.min(...ahead) : null
}

function whenWoken({ isAsleep, wakeAt }: ObservedDeployment): number[] {
  return isAsleep && wakeAt !== null ? [wakeAt] : []
}

function whenTriedAgain(deployment: ObservedDeployment): number[] {
  const active = runningActive(deployment)
  return active && hasFailed(active) && deployment.timers.retry ? [deployment.timers.retry.at] : []
}

/** A surplus agent server is removed after a calm while. */
function whenFewer(deployment: ObservedDeployment): number[] {
  const active = runningActive(deployment)
  if (active?.runtime.kind !== 'healthy' || deployment.timers.pressedAt === null) return []
  const isMore = active.replicas.length > Math.max(1, active.limits.min)
  return isMore ? [deployment.timers.pressedAt + deployment.limits.calmMs] : []
}

/** Whether a deployment may sleep: `min_scale` is 0, it gets no requests and nothing is due soon. */
function isIdle(deployment: ObservedDeployment): boolean {
  const { now, limits } = deployment
  const since = quietSince(deployment)
  if (since === undefined || now - since < limits.idleMs) return false
  const soon = now + limits.idleMs
  const { replicas = [] } = deployment.active ?? {}
  return replicas.every(({ load }) => load?.running === 0 && (load.next_due_at ?? soon + 1) > soon)
}

/** Since when it is quiet, in ms since 1970. `undefined`: it is in use, or may not sleep. */
function quietSince(deployment: ObservedDeployment): number | undefined {
  const active = runningActive(deployment)
  if (active?.runtime.kind !== 'healthy' || active.limits.min > 0) return undefined
  if (deployment.line.length > 0 || deployment.activity.open > 0 || isWanted(deployment.target))
    return undefined
  return Math.max(deployment.activity.last_at, ...active.replicas.map(({ since }) => since))
}

/** It wakes when its first work is due. */
function sleepOf({ active }: ObservedDeployment): DeploymentStep {
  const dues = active?.replicas.flatMap(({ load }) => load?.next_due_at ?? []) ?? []
  const hasOwnAuth = active?.runtime.kind === 'healthy' && haveOwnAuth(active.runtime.endpoints)
  return { kind: 'sleep', wakeAt: dues.length > 0 ? Math.min(...dues) : null, hasOwnAuth }
}
