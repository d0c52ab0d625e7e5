/** The control plane's API of a process, and the parts that it shares with the gateway. */
import type { UpConfig } from '../config.ts'
import { DnsStates } from '../control-plane/domains/dns.ts'
import type { KnownDomains } from '../control-plane/domains/known-domains.ts'
import type { Leading } from '../control-plane/leadership/leading.ts'
import { readPlatformProviders } from '../control-plane/oauth/providers/platform-providers.ts'
import { createVault, type Vault, type VaultParts } from '../control-plane/oauth/vault.ts'
import { BuildFollowers } from '../control-plane/rollout/build-followers.ts'
import { createControlPlaneApp } from '../control-plane/server/app.ts'
import { createRecogniseSession } from '../control-plane/sessions/find.ts'
import type { OidcSignIn } from '../control-plane/sessions/oidc.ts'
import { systemClock as clock, timestamp } from '../core/clock.ts'
import type { ArtifactStore } from '../core/deployment/artifacts/store.ts'
import type { Tarballs } from '../core/deployment/builds/build.ts'
import type { ControlPlaneStore } from '../core/deployment/control-plane-store.ts'
import type { RevisionLogs } from '../core/deployment/revision-log.ts'
import type { Authenticate } from '../core/deployment/target.ts'
import type { Log } from '../core/log.ts'
import type { AnswerPage } from '../core/pages.ts'
import type { UserTokenSettings, VerifyUserToken } from '../core/people/user-token.ts'
import type { Tracer } from '../core/tracing.ts'
import type { HostNames } from '../gateway/host-names.ts'
import { Address } from '../http/address.ts'
import { createAuthenticate, createIdentify } from '../http/keys.ts'
import { createSiteOf } from '../http/site.ts'
import { artifactsOf, checkResourcesOf } from '../runtime/drivers.ts'
import type { ReadControlPlaneMetrics } from '../telemetry/control-plane-metrics.ts'
import { readVersion } from '../version.ts'
import { createGuardedFetch } from '../webhook/guarded-fetch.ts'
import type { EncryptionKeys } from './installation/encryption-keys.ts'

interface Opening {
  store: ControlPlaneStore
  keys: EncryptionKeys
  tarballs: Tarballs
  packed: ArtifactStore
  logs: RevisionLogs
  leading: Leading
  domains: KnownDomains
  hosts: HostNames
  vault: Vault
  metrics: ReadControlPlaneMetrics
  tracer: Tracer
  pages: AnswerPage | undefined
  log: Log
}

export interface OpenedControlPlane {
  app: ReturnType<typeof createControlPlaneApp>
  /** Must be set to the listening URL. */
  address: Address
  authenticate: Authenticate
}

/** Does not use `leading` before the first request. */
export async function openControlPlane(
  config: UpConfig,
  parts: Opening,
): Promise<OpenedControlPlane> {
  const { store, keys: encryptionKeys, tarballs, packed, logs, leading, vault } = parts
  const { domains, hosts, metrics, tracer, pages, log } = parts
  const { userTokens, maxRequestsPerSecond } = config
  const address = new Address(config.publicUrl)
  const siteOf = createSiteOf({ publicUrl: () => address.url, isTls: config.tls !== undefined })
  const verifyUserToken = userTokens && (await openUserTokens(userTokens, store))
  const keys = { apiKeys: store.apiKeys, clock, verifyUserToken }
  const oidc = userTokens && (await openOidc(userTokens, store, verifyUserToken))
  const recogniseSession = createRecogniseSession({ store, clock, siteOf })
  const authenticate = createAuthenticate({ ...keys, recogniseSession })
  const app = createControlPlaneApp({
    metrics,
    tracer,
    figuresStepMs: config.figuresStepMs,
    ...(maxRequestsPerSecond !== undefined && { maxRequestsPerSecond }),
    version: readVersion(),
    store,
    tarballs,
    packed,
    artifacts: artifactsOf(config.runtime),
    checkResources: (spec) => checkResourcesOf(config.runtime, spec),
    registry: config.registry,
    logs,
    buildFollowers: new BuildFollowers(clock),
    authenticate,
    identify: createIdentify(keys),
    siteOf,
    ...(oidc && { oidc }),
    vault,
    signingKey: store.signingKey,
    changeEncryptionKey: () => encryptionKeys.change(store),
    publicUrl: () => address.url,
    domain: config.domain,
    ownUrls: () => ownUrls(config, address),
    dns: new DnsStates({ clock }),
    isDomain: (host) => hosts.deploymentAt(host) !== undefined,
    whenDomainsKnown: () => domains.refresh(),
    replicas: (revision_id) => leading.replicas(revision_id),
    exchange: leading.exchange,
    wake: () => leading.wake(),
    whenTended: (deployment_id) => leading.whenTended(deployment_id),
    ...(pages && { pages }),
    clock,
    log,
  })
  return { app, address, authenticate }
}

/** The URLs at which people, agents and other control planes reach it. */
function ownUrls(config: UpConfig, address: Address) {
  const urls = [address.url, config.internalUrl, config.agentsUrl].filter(
    (url) => url !== undefined,
  )
  return { urls, areNamed: config.publicUrl !== undefined }
}

/** Loads the token check, which is large, only if an issuer is set. */
async function openUserTokens(settings: UserTokenSettings, { workspaces }: ControlPlaneStore) {
  const { createVerifyUserToken } = await import('../http/user-tokens.ts')
  return createVerifyUserToken(settings, { workspaces, clock })
}

/** Sign-in at the issuer, if Runyard is a client there. */
async function openOidc(
  settings: UserTokenSettings,
  store: ControlPlaneStore,
  verifyUserToken: VerifyUserToken | undefined,
): Promise<OidcSignIn | undefined> {
  const { client, issuer, clockSkewMs } = settings
  if (!client || !verifyUserToken) return undefined
  const { OidcSignIn } = await import('../control-plane/sessions/oidc.ts')
  const verifyIdToken = await openUserTokens({ ...settings, audience: client.clientId }, store)
  return new OidcSignIn({ issuer, settings: client, verifyIdToken, verifyUserToken, clockSkewMs })
}

/** Includes the operator's providers, whose file is read once. */
export function openVault(config: UpConfig, parts: Pick<VaultParts, 'store' | 'log'>): Vault {
  const { oauthProvidersFile: file, oauthAllow: allowed } = config
  const outgoing = createGuardedFetch({ allowed })
  const now = timestamp(clock)
  const platformProviders = file ? readPlatformProviders(file, { outgoing, now }) : new Map()
  return createVault({ ...parts, clock, outgoing, platformProviders })
}
