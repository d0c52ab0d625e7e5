/** The parts that the reconciler uses. */

import type { Clock } from '../../core/clock.ts'
import type { Builder, Tarballs } from '../../core/deployment/builds/build.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { OwnRegistry } from '../../core/deployment/images/registry.ts'
import type { RevisionLogs } from '../../core/deployment/revision-log.ts'
import type { RuntimeDriver } from '../../core/deployment/runtime.ts'
import type { SourceSnapshots } from '../../core/deployment/sources/snapshot.ts'
import type { TargetTable } from '../../core/deployment/target.ts'
import type { Log } from '../../core/log.ts'
import type { DeploymentLimits } from '../../core/rollout/observed.ts'
import type { Tracer } from '../../core/tracing.ts'
import type { Vault } from '../oauth/vault.ts'

export interface ReconcilerParts {
  store: ControlPlaneStore
  builder: Builder
  driver: RuntimeDriver
  targets: TargetTable
  tarballs: Pick<Tarballs, 'remove'>
  /** The fetched sources of revisions, with their commits. */
  snapshots: SourceSnapshots
  /** Removed with their deployment. */
  logs: RevisionLogs
  /** The operator's registry for images; absent: not configured. */
  registry?: OwnRegistry | undefined
  /**
   * Removes the deployment's files beside its builds: its agents' database, and its tarballs (those whose
   * object path begins with `<deployment id>/`). Missing files are no error.
   */
  removeData: (deployment_id: string) => Promise<void>
  /** Revokes the tokens of removed deployments at their providers. */
  vault: Vault
  /** Default: nothing is traced. */
  tracer?: Tracer
  clock: Clock
  log: Log
}

export interface ReconcilerLimits extends DeploymentLimits {
  /** How many builds run at a time; default 2. */
  maxBuilds: number
  /** How long runs and streams of a replaced revision may go on there, in ms; default 60,000. */
  drainMs: number
  /** How long its runs then have to reach a checkpoint, in ms; default 15,000. */
  checkpointMs: number
  /** How long an agent server may take to end before it is killed, in ms; default 10,000. */
  stopGraceMs: number
  /** How many deployed revisions of a deployment keep their build for a rollback; default 5. */
  keptRevisions: number
  /**
   * How often the reconciler looks without being woken, in ms; default 2,000. Measured: with 200
   * deployments at rest this costs 1 % of a core.
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
