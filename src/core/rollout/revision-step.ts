/**
 * What to do next about one revision on its way, as part of the deployment's next step (`next-step.ts`).
 *
 * ```
 * CREATING          ▶ move QUEUED
 * QUEUED            ▶ move SKIPPED when a newer one waits; first in line ▶ move AWAITING_BUILD
 * AWAITING_BUILD    ▶ move BUILDING once there is room to build
 * BUILDING          ▶ build ▶ wait ▶ move AWAITING_DEPLOY, or BUILD_FAILED
 * AWAITING_DEPLOY   ▶ move DEPLOYING
 * DEPLOYING         ▶ start ▶ wait ▶ switch (which ends in DEPLOYED), or move DEPLOY_FAILED
 * ```
 */
import type { RevisionStatus } from '../deployment/revision.ts'
import type { Endpoints, RuntimeState } from '../deployment/runtime.ts'

/** How far a revision's build is on this machine. */
export type BuildState =
  | { kind: 'absent' }
  /** Not begun: the limit of concurrent builds is reached. */
  | { kind: 'blocked' }
  | { kind: 'running' }
  | { kind: 'built' }
  /** Its record cannot be read now: no decision until it can. */
  | { kind: 'unknown' }
  /** `reason`: the step, the cause and the last log lines. */
  | { kind: 'failed'; reason: string }

/** Everything that decides a revision's next step. */
export interface RolloutView {
  status: RevisionStatus
  /** No older revision of the deployment is on its way. */
  isFirstInLine: boolean
  /** A newer revision of the deployment is on its way: this one need not begin. */
  isSuperseded: boolean
  build: BuildState
  runtime: RuntimeState
  /** How long this process has seen it DEPLOYING, in ms. */
  deployingMs: number
  /** How long it may be, in ms. */
  deployTimeoutMs: number
}

export type RolloutStep =
  /** Nothing to do until something changes. */
  | { kind: 'wait' }
  /** Write this status; `reason` becomes the status message of a failure. */
  | { kind: 'move'; to: RevisionStatus; reason?: string }
  /** Begin the build in the background, from a clean folder. */
  | { kind: 'build' }
  /** Begin the runtime. */
  | { kind: 'start' }
  /** Make it execute runs, send the requests to it, and write that it is DEPLOYED and active. */
  | { kind: 'switch'; endpoints: Endpoints }

const WAIT: RolloutStep = { kind: 'wait' }

/** Names the one next step. Every move is in `REVISION_TRANSITIONS`. */
export function nextRevisionStep(view: RolloutView): RolloutStep {
  switch (view.status) {
    case 'CREATING':
      return { kind: 'move', to: 'QUEUED' }
    case 'QUEUED':
      return leaveQueue(view)
    case 'AWAITING_BUILD':
      return enterBuild(view.build)
    case 'BUILDING':
      return followBuild(view.build)
    case 'AWAITING_DEPLOY':
      return { kind: 'move', to: 'DEPLOYING' }
    case 'DEPLOYING':
      return followRuntime(view)
    case 'DEPLOYED':
    case 'CREATE_FAILED':
    case 'BUILD_FAILED':
    case 'DEPLOY_FAILED':
    case 'SKIPPED':
    case 'INTERRUPTED':
    case 'UNKNOWN':
      return WAIT
  }
}

function leaveQueue(view: RolloutView): RolloutStep {
  if (view.isSuperseded) return { kind: 'move', to: 'SKIPPED' }
  return view.isFirstInLine ? { kind: 'move', to: 'AWAITING_BUILD' } : WAIT
}

function enterBuild({ kind }: BuildState): RolloutStep {
  return kind === 'blocked' || kind === 'unknown' ? WAIT : { kind: 'move', to: 'BUILDING' }
}

function followBuild(build: BuildState): RolloutStep {
  switch (build.kind) {
    case 'absent':
      return { kind: 'build' }
    case 'blocked':
    case 'running':
    case 'unknown':
      return WAIT
    case 'built':
      return { kind: 'move', to: 'AWAITING_DEPLOY' }
    case 'failed':
      return { kind: 'move', to: 'BUILD_FAILED', reason: build.reason }
  }
}

function followRuntime(view: RolloutView): RolloutStep {
  const { build, runtime, deployTimeoutMs } = view
  if (build.kind === 'unknown') return WAIT
  if (build.kind !== 'built') return failed('deploy: its built project is gone; deploy it again.')
  if (runtime.kind === 'failed') return failed(`start: ${runtime.reason}`)
  if (runtime.kind === 'healthy') return { kind: 'switch', endpoints: runtime.endpoints }
  // It waits for something beyond its author's control.
  if (runtime.kind === 'starting' && runtime.reason !== undefined) return WAIT
  if (view.deployingMs >= deployTimeoutMs) return failed(timedOut(runtime, deployTimeoutMs))
  return runtime.kind === 'absent' ? { kind: 'start' } : WAIT
}

function failed(reason: string): RolloutStep {
  return { kind: 'move', to: 'DEPLOY_FAILED', reason }
}

function timedOut(runtime: RuntimeState, timeoutMs: number): string {
  const last = runtime.kind === 'restarting' ? ` It last died with: ${runtime.reason}` : ''
  return `start: its agent server was not healthy within ${timeoutMs / 1000} s.${last}`
}
