/** The parts that the control plane's routes and operations use. */
import type { ControlPlaneMetrics } from '../core/agent/server/metrics.ts'
import type { Clock } from '../core/clock.ts'
import type { ArtifactKind } from '../core/deployment/artifacts/artifact.ts'
import type { ArtifactStore } from '../core/deployment/artifacts/store.ts'
import type { Tarballs } from '../core/deployment/builds/build.ts'
import type { ControlPlaneStore } from '../core/deployment/control-plane-store.ts'
import type { OwnRegistry } from '../core/deployment/images/registry.ts'
import type { ListenerExchange } from '../core/deployment/listener-protocol.ts'
import type { RevisionLogs } from '../core/deployment/revision-log.ts'
import type { Replica } from '../core/deployment/runtime.ts'
import type { SourceSnapshots } from '../core/deployment/sources/snapshot.ts'
import type { Authenticate } from '../core/deployment/target.ts'
import type { JsonObject } from '../core/json.ts'
import type { Log } from '../core/log.ts'
import type { Tracer } from '../core/tracing.ts'
import type { AnswerPage } from '../http/dashboard/app.ts'
import type { Identify } from '../http/keys.ts'
import type { SiteOf } from '../http/site.ts'
import type { DnsStates } from './domains/dns.ts'
import type { Vault } from './oauth/vault.ts'
import type { BuildFollowers } from './rollout/build-followers.ts'
import type { OidcSignIn } from './sessions/oidc.ts'

export interface ControlPlaneParts {
  store: ControlPlaneStore
  tarballs: Tarballs
  /** Built folders that other machines fetch. Absent: none do. */
  packed?: Pick<ArtifactStore, 'open' | 'receive'>
  /** The version of this Runyard. */
  version: string
  /** What the runtime driver can start. */
  artifacts: readonly ArtifactKind[]
  /** Throws `bad_request` for a `resource_spec` with which the runtime driver could start nothing. */
  checkResources?: (resource_spec: JsonObject) => void
  /** The operator's registry for pushed images; absent: not configured. */
  registry?: OwnRegistry | undefined
  /** The fetched sources of revisions. */
  snapshots: SourceSnapshots
  logs: RevisionLogs
  buildFollowers: BuildFollowers
  authenticate: Authenticate
  identify: Identify
  siteOf: SiteOf
  /** Sign-in at an OIDC issuer. Absent: not configured. */
  oidc?: OidcSignIn | undefined
  vault: Vault
  /** Signs upload URLs; at least 32 bytes, and the same after a restart. */
  signingKey: Uint8Array
  /** Re-encrypts everything with a new key; returns how many texts. Throws `conflict` if it cannot. */
  changeEncryptionKey: () => Promise<number>
  /** The base of the URLs handed out, without a slash at the end. Asked for at each request. */
  publicUrl: () => string
  /** A deployment also answers at `<name>.<domain>`. Absent: only at its path. */
  domain?: string | undefined
  /**
   * The URLs at which this Runyard is reached. `areNamed`: a setting names the public URL; otherwise Runyard only
   * knows where it listens.
   */
  ownUrls: () => { urls: string[]; areNamed: boolean }
  /** Looks up the DNS of hosts. */
  dns: Pick<DnsStates, 'stateOf' | 'textsOf'>
  /** Whether this host is a deployment's domain that the gateway here serves. */
  isDomain: (host: string) => boolean
  /** Settles when the gateway here knows all domains written before the call. */
  whenDomainsKnown: () => Promise<void>
  /** The agent servers of a revision as they are now; empty when it does not run. */
  replicas: (revision_id: string) => Replica[]
  /** A listener's exchange with the leader in this process. Throws `unavailable` where another control plane leads. */
  exchange: ListenerExchange
  /** Wakes the reconciler. */
  wake: () => void
  /** The same; settles when the reconciler has done all it can do at once for this deployment. */
  whenTended: (deployment_id: string) => Promise<void>
  /** The limit for one key, or for one address without a key. Absent: no limit. */
  maxRequestsPerSecond?: number | undefined
  metrics: ControlPlaneMetrics
  /** The length of a step of figures, in ms. */
  figuresStepMs: number
  /** The dashboard. Absent: none. */
  pages?: AnswerPage | undefined
  /** Default: nothing is traced. */
  tracer?: Tracer
  clock: Clock
  log: Log
}

export type OAuthParts = Pick<
  ControlPlaneParts,
  'store' | 'clock' | 'log' | 'publicUrl' | 'authenticate' | 'vault'
>
