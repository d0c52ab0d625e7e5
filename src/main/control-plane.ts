/** The control plane's API of a process, and what the gateway in front of it needs as well. */
import type { UpConfig } from '../config.ts'
import type { Leading } from '../control-plane/leadership/leading.ts'
import { readPlatformProviders } from '../control-plane/oauth/providers/platform-providers.ts'
import { createVault, type Vault, type VaultParts } from '../control-plane/oauth/vault.ts'
import { BuildFollowers } from '../control-plane/rollout/build-followers.ts'
import { createControlPlaneApp } from '../control-plane/server/app.ts'
import type { ControlPlaneMetrics } from '../core/agent/metrics.ts'
import { systemClock as clock, timestamp } from '../core/clock.ts'
import type { Tarballs } from '../core/deployment/build.ts'
import type { ControlPlaneStore } from '../core/deployment/control-plane-store.ts'
import type { RevisionLogs } from '../core/deployment/revision-log.ts'
import type { Authenticate } from '../core/deployment/target.ts'
import type { Log } from '../core/log.ts'
import { Address } from '../http/address.ts'
import { createAuthenticate } from '../http/keys.ts'
import { createVerifyUserToken } from '../http/user-tokens.ts'
import type { EncryptionKeys } from '../installation/encryption-keys.ts'
import { artifactsOf } from '../runtime/drivers.ts'
import { createControlPlaneMetrics } from '../telemetry/control-plane-metrics.ts'
import { createGuardedFetch } from '../webhook/guarded-fetch.ts'

interface Opening {
  store: ControlPlaneStore
  keys: EncryptionKeys
  tarballs: Tarballs
  logs: RevisionLogs
  leading: Leading
  log: Log
}

export interface OpenedControlPlane {
  app: ReturnType<typeof createControlPlaneApp>
  /** To be told where it listens. */
  address: Address
  authenticate: Authenticate
  metrics: ControlPlaneMetrics
}

/** Nothing is asked of `leading` before a request is. */
export async function openControlPlane(
  config: UpConfig,
  parts: Opening,
): Promise<OpenedControlPlane> {
  const { store, keys, tarballs, logs, leading, log } = parts
  const { userTokens, maxRequestsPerSecond } = config
  const authenticate = createAuthenticate({
    apiKeys: store.apiKeys,
    clock,
    verifyUserToken: userTokens && createVerifyUserToken(userTokens, { ...store, clock }),
  })
  const metrics = await createControlPlaneMetrics(store)
  const address = new Address(config.publicUrl)
  const app = createControlPlaneApp({
    metrics,
    ...(maxRequestsPerSecond !== undefined && { maxRequestsPerSecond }),
    store,
    tarballs,
    artifacts: artifactsOf(config.runtime),
    logs,
    buildFollowers: new BuildFollowers(clock),
    authenticate,
    vault: openVault(config, { store, clock, log }),
    signingKey: store.signingKey,
    changeEncryptionKey: () => keys.change(store),
    publicUrl: () => address.url,
    replicas: (revision_id) => leading.replicas(revision_id),
    wake: () => leading.wake(),
    whenTended: (deployment_id) => leading.whenTended(deployment_id),
    clock,
    log,
  })
  return { app, address, authenticate, metrics }
}

/** With the providers of the operator, whose file is read once. */
function openVault(config: UpConfig, parts: Pick<VaultParts, 'store' | 'clock' | 'log'>): Vault {
  const { oauthProvidersFile: file, oauthAllow: allowed } = config
  const outgoing = createGuardedFetch({ allowed })
  const now = timestamp(parts.clock)
  const platformProviders = file ? readPlatformProviders(file, { outgoing, now }) : new Map()
  return createVault({ ...parts, outgoing, platformProviders })
}
