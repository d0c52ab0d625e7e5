/** The control plane's API of a process, and the parts that it shares with the gateway. */

import type { ControlPlaneParts } from '../control-plane/control-plane-parts.ts'
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
import type { ControlPlaneStore } from '../core/deployment/control-plane-store.ts'
import type { Authenticate } from '../core/deployment/target.ts'
import type { UserTokenSettings, VerifyUserToken } from '../core/people/user-token.ts'
import type { HostNames } from '../gateway/route.ts'
import { createAuthenticate, createIdentify } from '../http/keys.ts'
import { Address, createSiteOf } from '../http/site.ts'
import { artifactsOf, checkResourcesOf } from '../runtime/drivers.ts'
import type { UpConfig } from '../settings/config.ts'
import { readVersion } from '../version.ts'
import { createGuardedFetch } from '../webhook/guarded-fetch.ts'
import type { EncryptionKeys } from './installation/encryption-keys.ts'

type Opening = Pick<
  ControlPlaneParts,
  | 'store'
  | 'tarballs'
  | 'packed'
  | 'logs'
  | 'snapshots'
  | 'vault'
  | 'metrics'
  | 'tracer'
  | 'pages'
  | 'log'
> & {
  keys: EncryptionKeys
  leading: Leading
  domains: KnownDomains
  hosts: HostNames
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
  const { store, keys: encryptionKeys, leading, domains, hosts } = parts
  const { userTokens, runtime, registry, domain, figuresStepMs, maxRequestsPerSecond } = config
  const address = new Address(config.publicUrl)
  const siteOf = createSiteOf({ publicUrl: () => address.url, isTls: config.tls !== undefined })
  const verifyUserToken = userTokens && (await openUserTokens(userTokens, store))
  const keys = { apiKeys: store.apiKeys, clock, verifyUserToken }
  const oidc = userTokens && (await openOidc(userTokens, store, verifyUserToken))
  const recogniseSession = createRecogniseSession({ store, clock, siteOf })
  const authenticate = createAuthenticate({ ...keys, recogniseSession })
  const app = createControlPlaneApp({
    ...parts,
    ...{ registry, domain, figuresStepMs, maxRequestsPerSecond },
    ...{ authenticate, siteOf, oidc, clock },
    version: readVersion(),
    artifacts: artifactsOf(runtime),
    checkResources: (spec) => checkResourcesOf(runtime, spec),
    buildFollowers: new BuildFollowers(clock),
    identify: createIdentify(keys),
    signingKey: store.signingKey,
    changeEncryptionKey: () => encryptionKeys.change(store),
    publicUrl: () => address.url,
    ownUrls: () => ownUrls(config, address),
    dns: new DnsStates({ clock }),
    isDomain: (host) => hosts.deploymentAt(host) !== undefined,
    whenDomainsKnown: () => domains.refresh(),
    replicas: (revision_id) => leading.replicas(revision_id),
    exchange: leading.exchange,
    wake: () => leading.wake(),
    whenTended: (deployment_id) => leading.whenTended(deployment_id),
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
