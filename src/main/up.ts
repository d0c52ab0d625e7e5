/** `runyard up`: the control plane, the gateway and every deployment, on one address. */
import { getRequestListener } from '@hono/node-server'
import type { UpConfig } from '../config.ts'
import {
  type Candidate,
  type CandidateParts,
  oneOfSeveral,
  theOnlyOne,
} from '../control-plane/leadership/candidate.ts'
import { Leading } from '../control-plane/leadership/leading.ts'
import { readPlatformProviders } from '../control-plane/oauth/platform-providers.ts'
import { createVault, type Vault, type VaultParts } from '../control-plane/oauth/vault.ts'
import { ensureAdminKey } from '../control-plane/people/installation.ts'
import { BuildFollowers } from '../control-plane/rollout/build-followers.ts'
import { createControlPlaneApp } from '../control-plane/server/app.ts'
import { systemClock as clock, timestamp } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { Gateway, type GatewayOptions } from '../gateway/gateway.ts'
import { Targets } from '../gateway/target-table.ts'
import { Address } from '../http/address.ts'
import { createAuthenticate } from '../http/keys.ts'
import { close, listen } from '../http/listen.ts'
import { createVerifyUserToken } from '../http/user-tokens.ts'
import { followCertificate, readCertificate } from '../installation/certificate.ts'
import { findAdminKey, findInstanceId, openDataFolder } from '../installation/data-folder.ts'
import { EncryptionKeys } from '../installation/encryption-keys.ts'
import { Started } from '../process/started.ts'
import { artifactsOf } from '../runtime/drivers.ts'
import { createSecretBox } from '../storage/control-plane/secret-box.ts'
import { openControlPlaneStore } from '../storage/control-plane/store.ts'
import { lockFolder } from '../storage/db/sqlite/folder-lock.ts'
import { createControlPlaneMetrics } from '../telemetry/control-plane-metrics.ts'
import { createGuardedFetch } from '../webhook/guarded-fetch.ts'
import { openDeployments } from './deployments.ts'

export interface Running {
  /** Where it listens: `http://HOST:PORT`, or `https://` with a certificate. */
  url: string
  /** Asks the control plane without a connection. */
  fetch: typeof fetch
  adminKey: string
  isAdminKeyNew: boolean
  /** Whether it makes the world match the record; else another control plane of its database does. */
  isLeading(): boolean
  /**
   * Settles when every deployment that has been deployed serves again, or after `limitMs`; at once
   * where another leads.
   */
  whenServing(limitMs: number): Promise<void>
  stop(): Promise<void>
}

/** Starts all of it; what was deployed before begins to serve again in the background. */
export async function startUp(config: UpConfig, log: Log): Promise<Running> {
  const started = new Started(log)
  try {
    return await compose(config, log, started)
  } catch (error) {
    await started.stop()
    throw error
  }
}

async function compose(config: UpConfig, log: Log, started: Started): Promise<Running> {
  const certificate = config.tls && readCertificate(config.tls)
  const installation = await openInstallation(config, started)
  const { folder, admin } = installation
  const { createDriver, ...deployments } = openDeployments(config, folder, log)
  const targets = new Targets()
  const { keptRevisions, idleMs, drainMs } = config
  const leading = new Leading({
    parts: { ...deployments, targets, clock, log },
    limits: { keptRevisions, idleMs, drainMs },
    createDriver,
  })
  started.add('agent servers', () => leading.end())
  const parts = { ...installation, ...deployments, leading, log }
  const { app, address, ...door } = await openControlPlane(config, parts)
  const candidate = createCandidate(config, parts)
  const gateway = createGateway(config, { ...door, app, targets, candidate, log })
  started.add('gateway', () => gateway.stop())
  started.add('candidate', () => candidate.stop())
  await candidate.start(gateway)

  const server = gateway.createServer(certificate)
  if (config.tls) started.add('certificate', followCertificate(server, config.tls, { log }))
  const url = await listen(server, config)
  started.add('listener', () => close(server))
  address.listensAt(url)
  await candidate.announce(url)
  return {
    url,
    fetch: async (input, init) => app.fetch(new Request(input, init)),
    adminKey: admin.key,
    isAdminKeyNew: admin.isNew,
    isLeading: () => candidate.isLeading,
    whenServing: (limitMs) => leading.whenServing(limitMs),
    stop: () => started.stop(),
  }
}

/** The data folder, held by this process alone, with its keys and its database. */
async function openInstallation(config: UpConfig, started: Started) {
  const folder = openDataFolder(config.dataDir)
  started.add('lock', lockFolder(folder.lock))
  const keys = new EncryptionKeys(config, createSecretBox)
  const store = await openControlPlaneStore(config.databaseUrl ?? folder.database, keys.box)
  started.add('store', () => store.close())
  await keys.settle(store)
  const admin = findAdminKey(config.dataDir, config.adminKey)
  await ensureAdminKey(store.apiKeys, admin.key, clock)
  return { folder, store, admin, keys }
}

type ControlPlaneParts = CandidateParts &
  Pick<Awaited<ReturnType<typeof openInstallation>>, 'keys'> &
  Pick<ReturnType<typeof openDeployments>, 'tarballs' | 'logs'>

/** The control plane's API, and what the gateway in front of it needs as well. */
async function openControlPlane(config: UpConfig, parts: ControlPlaneParts) {
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

/** Several may share a database server; one in the data folder is the folder's own. */
function createCandidate(config: UpConfig, parts: CandidateParts): Candidate {
  const { databaseUrl, dataDir, internalUrl } = config
  if (databaseUrl === undefined) return theOnlyOne(parts)
  return oneOfSeveral(parts, { holder: findInstanceId(dataDir), internalUrl })
}

/** With the providers of the operator, whose file is read once. */
function openVault(config: UpConfig, parts: Pick<VaultParts, 'store' | 'clock' | 'log'>): Vault {
  const { oauthProvidersFile: file, oauthAllow: allowed } = config
  const outgoing = createGuardedFetch({ allowed })
  const now = timestamp(parts.clock)
  const platformProviders = file ? readPlatformProviders(file, { outgoing, now }) : new Map()
  return createVault({ ...parts, outgoing, platformProviders })
}

type GatewayParts = Pick<GatewayOptions, 'authenticate' | 'log'> &
  Pick<Awaited<ReturnType<typeof openControlPlane>>, 'app' | 'metrics'> & {
    targets: Targets
    candidate: Candidate
  }

function createGateway({ domain, maxBodyBytes }: UpConfig, parts: GatewayParts): Gateway {
  const { app, candidate, metrics, ...rest } = parts
  return new Gateway({
    ...rest,
    ...(maxBodyBytes !== undefined && { maxBodyBytes }),
    fallback: getRequestListener(app.fetch, { overrideGlobalObjects: false }),
    domain,
    leader: () => (candidate.isLeading ? undefined : { url: candidate.leaderUrl }),
    onPassed: (request) => metrics.requestPassed(request),
  })
}
