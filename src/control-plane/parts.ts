/** What the control plane's routes and verbs work with. */

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
import type { Authenticate } from '../core/deployment/target.ts'
import type { JsonObject } from '../core/json.ts'
import type { Log } from '../core/log.ts'
import type { AnswerPage } from '../core/pages.ts'
import type { Tracer } from '../core/tracing.ts'
import type { Identify } from '../http/keys.ts'
import type { SiteOf } from '../http/site.ts'
import type { DnsStates } from './domains/dns.ts'
import type { Vault } from './oauth/vault.ts'
import type { BuildFollowers } from './rollout/build-followers.ts'
import type { OidcSignIn } from './sessions/oidc.ts'

export interface ControlPlaneParts {
  store: ControlPlaneStore
  tarballs: Tarballs
  /** Built folders that are fetched from elsewhere. Absent: none are. */
  packed?: Pick<ArtifactStore, 'open' | 'receive'>
  /** Which Runyard it is. */
  version: string
  /** What the runtime driver can start. */
  artifacts: readonly ArtifactKind[]
  /** Throws `bad_request` for a `resource_spec` with which the runtime driver could start nothing. */
  checkResources?: (resource_spec: JsonObject) => void
  /** The operator's, for images that are pushed; absent: none is named. */
  registry?: OwnRegistry | undefined
  logs: RevisionLogs
  buildFollowers: BuildFollowers
  authenticate: Authenticate
  identify: Identify
  siteOf: SiteOf
  /** Where people sign in at an issuer. Absent: nowhere. */
  oidc?: OidcSignIn
  vault: Vault
  /** Signs upload URLs; at least 32 bytes, and the same after a restart. */
  signingKey: Uint8Array
  /** Seals everything with a new key; answers how many texts. Throws `conflict` where it cannot. */
  changeEncryptionKey: () => Promise<number>
  /** The base of the URLs handed out, without a slash at the end. Asked for at each request. */
  publicUrl: () => string
  /** A deployment also answers at `<name>.<domain>`. Absent: only at its path. */
  domain?: string | undefined
  /**
   * The URLs at which this Runyard is reached. `areNamed`: the settings say the public one, and it does not only
   * know where it listens.
   */
  ownUrls: () => { urls: string[]; areNamed: boolean }
  /** Where the DNS of hosts leads. */
  dns: Pick<DnsStates, 'stateOf' | 'textsOf'>
  /** Whether the gateway here answers at this host for a deployment whose domain it is. */
  isDomain: (host: string) => boolean
  /** Settles when the gateway here knows the domains that were written before. */
  whenDomainsKnown: () => Promise<void>
  /** The agent servers of a revision as they are now; none where it does not run. */
  replicas: (revision_id: string) => Replica[]
  /** A listener's exchange with whatever leads here. Throws `unavailable` where another control plane does. */
  exchange: ListenerExchange
  /** Tells the reconciler that there is something to do. */
  wake: () => void
  /** The same, and settles when it has done what can be done at once for this deployment. */
  whenTended: (deployment_id: string) => Promise<void>
  /** Of one key, or of an address without a key. Absent: any number. */
  maxRequestsPerSecond?: number
  metrics: ControlPlaneMetrics
  /** How long the steps are in which figures are kept, in ms. */
  figuresStepMs: number
  /** The dashboard. Absent: there is none. */
  pages?: AnswerPage
  /** Default: nothing is traced. */
  tracer?: Tracer
  clock: Clock
  log: Log
}
