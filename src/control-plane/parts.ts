/** What the control plane's routes and verbs work with. */

import type { ControlPlaneMetrics } from '../core/agent/metrics.ts'
import type { Clock } from '../core/clock.ts'
import type { ArtifactKind } from '../core/deployment/artifact.ts'
import type { Tarballs } from '../core/deployment/build.ts'
import type { ControlPlaneStore } from '../core/deployment/control-plane-store.ts'
import type { RevisionLogs } from '../core/deployment/revision-log.ts'
import type { Replica } from '../core/deployment/runtime.ts'
import type { Authenticate } from '../core/deployment/target.ts'
import type { Log } from '../core/log.ts'
import type { Vault } from './oauth/vault.ts'
import type { BuildFollowers } from './rollout/build-followers.ts'

export interface ControlPlaneParts {
  store: ControlPlaneStore
  tarballs: Tarballs
  /** What the runtime driver can start. */
  artifacts: readonly ArtifactKind[]
  logs: RevisionLogs
  buildFollowers: BuildFollowers
  authenticate: Authenticate
  vault: Vault
  /** Signs upload URLs; at least 32 bytes, and the same after a restart. */
  signingKey: Uint8Array
  /** Seals everything with a new key; answers how many texts. Throws `conflict` where it cannot. */
  changeEncryptionKey: () => Promise<number>
  /** The base of the URLs handed out, without a slash at the end. Asked for at each request. */
  publicUrl: () => string
  /** The agent servers of a revision as they are now; none where it does not run. */
  replicas: (revision_id: string) => Replica[]
  /** Tells the reconciler that there is something to do. */
  wake: () => void
  /** The same, and settles when it has done what can be done at once for this deployment. */
  whenTended: (deployment_id: string) => Promise<void>
  /** Of one key, or of an address without a key. Absent: any number. */
  maxRequestsPerSecond?: number
  metrics: ControlPlaneMetrics
  clock: Clock
  log: Log
}
