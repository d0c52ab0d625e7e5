/** What the reconciler works with. */

import type { Clock } from '../../core/clock.ts'
import type { Builder, Tarballs } from '../../core/deployment/builds/build.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { OwnRegistry } from '../../core/deployment/images/registry.ts'
import type { RevisionLogs } from '../../core/deployment/revision-log.ts'
import type { RuntimeDriver } from '../../core/deployment/runtime.ts'
import type { TargetTable } from '../../core/deployment/target.ts'
import type { Log } from '../../core/log.ts'
import type { Tracer } from '../../core/tracing.ts'
import type { Vault } from '../oauth/vault.ts'

export interface ReconcilerParts {
  store: ControlPlaneStore
  builder: Builder
  driver: RuntimeDriver
  targets: TargetTable
  tarballs: Pick<Tarballs, 'remove'>
  /** Removed with their deployment. */
  logs: RevisionLogs
  /** The operator's, for images; absent: none is named. */
  registry?: OwnRegistry | undefined
  /**
   * Removes what a deployment leaves on disk beside its builds: its agents' database, and its
   * tarballs (those whose object path begins with `<deployment id>/`). Nothing there is no error.
   */
  removeData: (deployment_id: string) => Promise<void>
  /** Gives the tokens of deployments that are removed back to their providers. */
  vault: Vault
  /** Default: nothing is traced. */
  tracer?: Tracer
  clock: Clock
  log: Log
}

export interface ReconcilerLimits {
  /** How many builds run at a time; default 2. */
  maxBuilds: number
  /** How long a revision may be DEPLOYING, in ms, longer than drivers let a start take; default 420,000. */
  deployTimeoutMs: number
  /** How long runs and streams of a replaced revision may go on there, in ms; default 60,000. */
  drainMs: number
  /** How long its runs then have to come to a checkpoint, in ms; default 15,000. */
  checkpointMs: number
  /** How long an agent server may take to end before it is killed, in ms; default 10,000. */
  stopGraceMs: number
  /** How long a deployed revision is watched, to be taken back if it dies, in ms; default 60,000. */
  probationMs: number
  /** How many deployed revisions of a deployment can be gone back to without a build; default 5. */
  keptRevisions: number
  /** How long there has to be room before a replica is taken away, in ms; default 60,000. */
  calmMs: number
  /** How long nothing may be asked of a deployment with min_scale 0, in ms; default 300,000. */
  idleMs: number
  /**
   * How often it looks without being woken, in ms; default 2,000. Measured: with 200 deployments at
   * rest that costs 1 % of a core.
   */
  lookEveryMs: number
}

export const DEFAULT_LIMITS: ReconcilerLimits = {
  maxBuilds: 2,
  deployTimeoutMs: 420_000,
  drainMs: 60_000,
  checkpointMs: 15_000,
  stopGraceMs: 10_000,
  probationMs: 60_000,
  keptRevisions: 5,
  calmMs: 60_000,
  idleMs: 300_000,
  lookEveryMs: 2000,
}
