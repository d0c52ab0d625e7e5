/**
 * A deployment in a world of its own: record, builds, agent servers, gateway and clock are plain
 * data. Steps are carried out at once as the reconciler would, and things happen to it between them.
 */

import type { DeploymentStatus } from '../../../src/core/deployment/deployment.ts'
import {
  isRevisionOver,
  REVISION_TRANSITIONS,
  type RevisionStatus,
} from '../../../src/core/deployment/revision.ts'
import type { Load, Replica, RuntimeState } from '../../../src/core/deployment/runtime.ts'
import { CLOSED, type TargetState } from '../../../src/core/deployment/target.ts'
import {
  type ActiveRevision,
  type DeploymentLimits,
  deathOnProbation,
  type ObservedDeployment,
  type Timers,
} from '../../../src/core/rollout/observed.ts'
import type { BuildState } from '../../../src/core/rollout/revision-step.ts'
import type { ScaleLimits } from '../../../src/core/rollout/scaling.ts'
import type { DeploymentStep } from '../../../src/core/rollout/step.ts'
import { targetAtRest } from '../../../src/core/rollout/target-wanted.ts'
import { followTimers, NO_TIMERS, timersAfter } from '../../../src/core/rollout/timers.ts'

export const LIMITS: DeploymentLimits = {
  deployTimeoutMs: 300_000,
  probationMs: 60_000,
  calmMs: 60_000,
  idleMs: 120_000,
}

export const IDLE: Load = { running: 0, capacity: 4, waiting: 0, lag_ms: 0, next_due_at: null }

export class NotTaken extends Error {}

interface SimulatedRevision {
  id: string
  number: number
  status: RevisionStatus
  since: number
  built_from: string | null
  deployed_at: string | null
  isBuilt: boolean
}

export interface Running {
  replicas: Replica[]
  url: string
  isStandby: boolean
  isRetiring: boolean
}

export class SimulatedDeployment {
  now = Date.parse('2026-01-01T00:00:00Z')
  status: DeploymentStatus | 'gone' = 'AWAITING_DATABASE'
  isAsleep = false
  wakeAt: number | null = null
  active: string | null = null
  readonly revisions: SimulatedRevision[] = []
  readonly limits: ScaleLimits
  running = new Map<string, Running>()
  target: TargetState = { kind: 'unknown' }
  activity = { open: 0, last_at: 0 }
  timers: Timers = NO_TIMERS
  building = new Set<string>()
  buildFailures = new Map<string, string>()
  /** Revisions whose build cannot be read just now. */
  readonly unreadable = new Set<string>()
  hasRoom = true
  isRecordWritten = true
  areThreadsParked = false
  #since = this.now
  #made = 0

  constructor(limits: ScaleLimits) {
    this.limits = limits
    this.deploy(null)
  }

  get(id: string): SimulatedRevision {
    const found = this.revisions.find((one) => one.id === id)
    if (!found) throw new Error(`There is no revision ${id}.`)
    return found
  }

  runtimeOf(id: string): RuntimeState {
    const one = this.running.get(id)
    if (!one) return { kind: 'absent' }
    const states = one.replicas.map(({ state }) => state)
    if (states.includes('healthy')) return { kind: 'healthy', endpoints: [endpointAt(one.url)] }
    if (states.includes('restarting')) return { kind: 'restarting', reason: 'exit 9', restarts: 1 }
    return states.includes('starting') ? { kind: 'starting' } : { kind: 'failed', reason: 'exit 1' }
  }

  get line(): SimulatedRevision[] {
    return this.revisions.filter(({ status }) => !isRevisionOver(status))
  }

  /** What a look sees. */
  view(): ObservedDeployment {
    if (this.status === 'gone') throw new Error('It is gone.')
    const active = this.active === null ? null : this.#observeActive(this.get(this.active))
    this.timers = followTimers(this.timers, active, this.now)
    return {
      status: this.status,
      hasRevisions: this.revisions.length > 0,
      isAsleep: this.isAsleep,
      wakeAt: this.wakeAt,
      active,
      line: this.line.map(({ id, status, since }) => ({
        id,
        status,
        build: this.#buildOf(id),
        runtime: this.runtimeOf(id),
        since: Math.max(since, this.#since),
      })),
      running: [...this.running].map(([id, { isRetiring }]) => ({ id, isRetiring })),
      building: [...this.building],
      entrance: { wanted: CLOSED, there: CLOSED },
      target: this.target,
      activity: this.activity,
      timers: this.timers,
      limits: LIMITS,
      now: this.now,
    }
  }

  /** Throws `NotTaken`: the step could not be taken to its end. */
  take(step: DeploymentStep): void {
    this.timers = timersAfter(step, this.timers, this.now)
    switch (step.kind) {
      case 'remove':
        this.running.clear()
        this.building.clear()
        this.target = { kind: 'unknown' }
        this.status = 'gone'
        return
      case 'make-ready':
        this.status = 'READY'
        return
      case 'make-unused':
        this.status = 'UNUSED'
        return
      case 'take-back':
        this.#move(step.revision_id, 'DEPLOY_FAILED')
        this.deploy(this.previous()?.id ?? null)
        return
      case 'wake':
        this.isAsleep = false
        this.wakeAt = null
        return
      case 'sleep':
        this.isAsleep = true
        this.wakeAt = step.wakeAt
        return
      case 'point':
        this.target = { ...step, kind: 'serving' }
        return
      case 'hold':
        this.target = { kind: 'held' }
        return
      case 'hold-asleep':
        this.target = { kind: 'asleep', isWanted: false }
        return
      case 'pause':
        this.target = { kind: 'paused' }
        return
      case 'abort':
        this.building.delete(step.revision_id)
        return
      case 'retire':
        this.#run(step.revision_id).isRetiring = true
        return
      case 'build':
        this.get(step.revision_id).isBuilt = false
        this.building.add(step.revision_id)
        return
      case 'start':
        this.#start(step.revision_id, step.isStandby)
        return
      case 'retry':
        this.buildFailures.delete(step.revision_id)
        if (this.unreadable.has(step.revision_id)) throw new NotTaken()
        if (this.#isBuilt(step.revision_id)) this.#start(step.revision_id, false)
        return
      case 'scale':
        this.#scale(step.revision_id, step.replicas)
        return
      case 'move':
        this.#move(step.revision_id, step.to)
        return
      case 'switch':
        this.#switch(step)
    }
  }

  /** What is on its way ends, and well: a world that troubles nobody any more. */
  endWell(): void {
    this.hasRoom = true
    this.unreadable.clear()
    this.isRecordWritten = true
    for (const id of this.building) this.get(id).isBuilt = true
    this.building.clear()
    for (const one of this.running.values()) {
      if (one.replicas.some(({ state }) => state !== 'healthy')) this.become(one, 'healthy')
      one.replicas = one.replicas.map((replica) => ({ ...replica, load: IDLE }))
    }
    this.endRetiring()
  }

  endRetiring(): void {
    for (const [id, { isRetiring }] of this.running) if (isRetiring) this.running.delete(id)
  }

  #observeActive(revision: SimulatedRevision): ActiveRevision {
    const { id, status, built_from, deployed_at } = revision
    const replicas = this.running.get(id)?.replicas ?? []
    const active = { id, status, built_from, deployed_at, replicas }
    const isDead = deathOnProbation(active, this.now, LIMITS.probationMs) !== undefined
    return {
      ...active,
      build: this.#buildOf(id),
      runtime: this.runtimeOf(id),
      limits: this.limits,
      previous: isDead ? (this.previous()?.number ?? null) : null,
    }
  }

  #isBuilt(id: string): boolean {
    const { isBuilt, built_from } = this.get(id)
    return isBuilt || (built_from !== null && this.get(built_from).isBuilt)
  }

  #buildOf(id: string): BuildState {
    if (this.building.has(id)) return { kind: 'running' }
    const reason = this.buildFailures.get(id)
    if (reason !== undefined) return { kind: 'failed', reason }
    if (this.unreadable.has(id)) return { kind: 'unknown' }
    if (this.#isBuilt(id)) return { kind: 'built' }
    return { kind: this.hasRoom ? 'absent' : 'blocked' }
  }

  previous(): SimulatedRevision | undefined {
    if (this.active === null) return undefined
    const { number } = this.get(this.active)
    return this.revisions.findLast((one) => one.status === 'DEPLOYED' && one.number < number)
  }

  deploy(built_from: string | null): void {
    const number = this.revisions.length + 1
    this.revisions.push({
      id: `r${number}`,
      number,
      status: 'CREATING',
      since: this.now,
      built_from,
      deployed_at: null,
      isBuilt: false,
    })
  }

  #move(id: string, to: RevisionStatus): void {
    const revision = this.get(id)
    if (!REVISION_TRANSITIONS[revision.status].includes(to)) {
      throw new Error(`${id} cannot go from ${revision.status} to ${to}.`)
    }
    revision.status = to
    revision.since = this.now
    if (isRevisionOver(to)) this.buildFailures.delete(id)
    const underWay = this.line.filter(({ status }) => status !== 'CREATING' && status !== 'QUEUED')
    if (underWay.length > 1) throw new Error('Two revisions are under way.')
  }

  interrupt(id: string): void {
    this.#move(id, 'INTERRUPTED')
  }

  #run(id: string): Running {
    const one = this.running.get(id)
    if (!one) throw new Error(`Nothing runs of ${id}.`)
    return one
  }

  #start(id: string, isStandby: boolean): void {
    const there = this.runtimeOf(id).kind
    if (there !== 'absent' && there !== 'failed') throw new Error(`${id} runs already.`)
    if (!this.#isBuilt(id)) throw new Error(`${id} is not built.`)
    const replicas = Array.from({ length: Math.max(1, this.limits.min) }, () => this.#replica())
    this.running.set(id, { replicas, url: this.#url(), isStandby, isRetiring: false })
  }

  #replica(): Replica {
    return { state: 'starting', since: this.now, restarts: 0, reason: null, load: null }
  }

  #url(): string {
    this.#made += 1
    return `http://127.0.0.1:${this.#made}`
  }

  become(one: Running, state: Replica['state']): void {
    const reason = state === 'restarting' ? 'exit 9' : null
    one.url = this.#url()
    one.replicas = one.replicas.map((replica) => ({
      ...replica,
      state,
      since: this.now,
      reason: reason ?? replica.reason,
      load: state === 'healthy' ? IDLE : null,
    }))
  }

  #scale(id: string, count: number): void {
    const one = this.#run(id)
    const kept = one.replicas.filter(({ state }) => state !== 'failed').slice(0, count)
    const begun = Array.from({ length: count - kept.length }, () => this.#replica())
    one.replicas = [...kept, ...begun]
  }

  #switch({ revision_id, endpoints }: Extract<DeploymentStep, { kind: 'switch' }>): void {
    if (this.areThreadsParked) {
      this.areThreadsParked = false
      this.#move(revision_id, 'DEPLOY_FAILED')
      return
    }
    this.#run(revision_id).isStandby = false
    this.target = { kind: 'serving', revision_id, endpoints }
    if (!this.isRecordWritten) {
      this.isRecordWritten = true
      throw new NotTaken()
    }
    this.#move(revision_id, 'DEPLOYED')
    this.get(revision_id).deployed_at = new Date(this.now).toISOString()
    this.active = revision_id
    this.isAsleep = false
    this.wakeAt = null
  }

  ask(): void {
    if (this.target.kind === 'asleep') this.target = { kind: 'asleep', isWanted: true }
  }

  /** The process is gone with all that it had; the next one lets requests wait at first. */
  restart(): void {
    this.running.clear()
    this.building.clear()
    this.buildFailures.clear()
    this.timers = NO_TIMERS
    this.#since = this.now
    this.activity = { open: 0, last_at: this.now }
    this.target = { kind: 'unknown' }
    this.take(targetAtRest({ active: this.active === null ? null : {}, isAsleep: this.isAsleep }))
  }
}

function endpointAt(url: string) {
  return { url, token: `token of ${url}` }
}
