/** The possible next steps of a deployment. */
import type { Endpoints } from '../deployment/runtime.ts'
import type { Entrance } from '../deployment/target.ts'
import type { RolloutStep } from './revision-step.ts'

export type DeploymentStep =
  /** Remove all of it. */
  | { kind: 'remove' }
  /** Write READY. */
  | { kind: 'make-ready' }
  /** Write UNUSED. */
  | { kind: 'make-unused' }
  /** Admit requests like this. */
  | { kind: 'enter'; entrance: Entrance }
  /** Write DEPLOY_FAILED, and deploy the revision before it again. `reason`: how it died. */
  | { kind: 'take-back'; revision_id: string; reason: string }
  /** Write that it is awake. */
  | { kind: 'wake' }
  /** Write that it sleeps, until `wakeAt` at most. `hasOwnAuth`: its project decides who may call it. */
  | { kind: 'sleep'; wakeAt: number | null; hasOwnAuth: boolean }
  /** Send its requests to this revision. */
  | { kind: 'point'; revision_id: string; endpoints: Endpoints }
  /** Let its requests wait until it serves: long if it starts, briefly if it has died. */
  | { kind: 'hold'; isRestart: boolean }
  /** Let its requests wait until it is awake; the first one wakes it. */
  | { kind: 'hold-asleep' }
  /** Let its name answer 503: nothing runs. */
  | { kind: 'pause' }
  /** End the build of a revision that is no longer needed. */
  | { kind: 'abort'; revision_id: string }
  /** Drain and stop a revision that is no longer needed, in the background. */
  | { kind: 'retire'; revision_id: string }
  /** Start its agent servers. `isStandby`: they leave all runs to the revision before it. */
  | { kind: 'start'; revision_id: string; isStandby: boolean }
  /** Forget why it could not be built or started, and try it again. */
  | { kind: 'retry'; revision_id: string; reason: string }
  /** Set the number of agent servers, and restart failed ones. */
  | { kind: 'scale'; revision_id: string; replicas: number }
  /** The next step of a revision on its way. */
  | (Exclude<RolloutStep, { kind: 'wait' | 'start' }> & { revision_id: string })

export type Decision =
  /** `why`: the rule that named the step. */
  | { step: DeploymentStep; why: string }
  /** Nothing to do until something changes, or until this moment; in ms since 1970. */
  | { step: null; until: number | null }
