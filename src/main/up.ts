/** `runyard up`: the control plane, the gateway and every deployment, on one address. */
import { getRequestListener } from '@hono/node-server'
import { createArtifactStore } from '../artifacts/artifact-store.ts'
import { openObjects } from '../artifacts/folder-objects.ts'
import { unfinishedFolder } from '../build/layout.ts'
import { KnownDomains } from '../control-plane/domains/known-domains.ts'
import {
  type Candidate,
  type CandidateParts,
  createElectedCandidate,
  createSoleCandidate,
} from '../control-plane/leadership/candidate.ts'
import { Leading } from '../control-plane/leadership/leading.ts'
import { ensureAdminKey } from '../control-plane/people/installation.ts'
import type { ControlPlaneMetrics } from '../core/agent/server/metrics.ts'
import { systemClock as clock } from '../core/clock.ts'
import type { ControlPlaneStore } from '../core/deployment/control-plane-store.ts'
import { dataKeyOf } from '../core/deployment/data-key.ts'
import { placeOf } from '../core/deployment/listener.ts'
import { isRevisionOver } from '../core/deployment/revision.ts'
import type { Log, LogControl } from '../core/log.ts'
import { agentKeyOf } from '../core/oauth/agent-key.ts'
import type { Tracer } from '../core/tracing.ts'
import { Gateway, type GatewayOptions } from '../gateway/gateway.ts'
import { HostNames } from '../gateway/route.ts'
import { Certificates } from '../gateway/server/http2.ts'
import { Targets } from '../gateway/target-table.ts'
import { createHub, type HubOptions } from '../listener/hub.ts'
import { Started } from '../process/started.ts'
import { createReportedLogs } from '../runtime/deploy-log.ts'
import { requireCluster } from '../runtime/kubernetes/require-cluster.ts'
import type { UpConfig } from '../settings/config.ts'
import { createSecretBox } from '../storage/control-plane/secret-box.ts'
import { openControlPlaneStore } from '../storage/control-plane/store.ts'
import { lockFolder } from '../storage/db/sqlite/folder-lock.ts'
import { createControlPlaneMetrics } from '../telemetry/control-plane-metrics.ts'
import { type OpenedControlPlane, openControlPlane, openVault } from './control-plane.ts'
import { openDashboard } from './dashboard.ts'
import { requireDatabaseRights } from './deployment-databases.ts'
import { openDeployments } from './deployments.ts'
import { followCertificate, readCertificate } from './installation/certificate.ts'
import {
  type DataFolder,
  findAdminKey,
  findInstanceId,
  openDataFolder,
} from './installation/data-folder.ts'
import { EncryptionKeys } from './installation/encryption-keys.ts'
import { openTelemetry } from './tracing.ts'

/** How long a rollout may take beside the start of its agent server, in ms: for a pod's node, for packing. */
const BESIDE_START_MS = 120_000

export interface Running {
  /** `http://HOST:PORT`, or `https://` with a certificate. */
  url: string
  /** Calls the control plane without a connection. */
  fetch: typeof fetch
  adminKey: string
  isAdminKeyNew: boolean
  /** Whether this control plane leads; otherwise another one of its database does. */
  isLeading(): boolean
  /**
   * Settles when every deployment serves again, or after `limitMs`; at once where another control plane
   * leads.
   */
  whenServing(limitMs: number): Promise<void>
  /** In a clone: builds the dashboard at low priority, unless it is built. */
  buildDashboard(): void
  /** Settles when the dashboard can be opened, or its build has failed. */
  whenDashboard(): Promise<void>
  stop(): Promise<void>
}

/** Starts everything; earlier deployments begin to serve again in the background. */
export async function startUp(config: UpConfig, log: LogControl): Promise<Running> {
  const started = new Started(log)
  try {
    return await compose(config, log, started)
  } catch (error) {
    await started.stop()
    throw error
  }
}

async function compose(config: UpConfig, log: LogControl, started: Started): Promise<Running> {
  const certificate = config.tls && readCertificate(config.tls)
  const env = config.agentServerEnv
  const { tracer, sendMetrics } = await openTelemetry('runyard', { started, env, log })
  const installation = await openInstallation(config, started, log)
  const { folder, admin, store } = installation
  const listening = Promise.withResolvers<string>()
  const home = async (deployment_id: string) => ({
    url: homeUrl(config, await listening.promise),
    key: agentKeyOf(store.signingKey, await keyed(store, deployment_id)),
  })
  const objects = await openObjects(config.artifactsPlace, { dir: folder.builds })
  const packed = createArtifactStore({
    ...{ objects, signingKey: store.signingKey, clock },
    unfinishedDir: unfinishedFolder(folder.builds),
    homeUrl: async () => homeUrl(config, await listening.promise),
  })
  const record = recordOf(store)
  const around = { home, objects, packed, driverKey: store.signingKey, record, log }
  const { createDriver, closeBuilds, ...deployments } = openDeployments(config, folder, around)
  started.add('Jobs of builds', closeBuilds)
  const targets = new Targets()
  const { publicUrl, internalUrl, agentsUrl, domain } = config
  const hosts = new HostNames({ ownUrls: () => [publicUrl, internalUrl, agentsUrl], domain })
  const certificates = config.tls && new Certificates()
  const domains = new KnownDomains({ store, hosts, certificates, log })
  started.add('domains', () => domains.stop())
  await domains.start()
  const vault = openVault(config, { store, log })
  const metrics = await createControlPlaneMetrics(store)
  sendMetrics(metrics)
  const { keptRevisions, idleMs, startTimeoutMs, drainMs, figuresStepMs } = config
  const deployTimeoutMs = startTimeoutMs + BESIDE_START_MS
  const leading = new Leading({
    parts: { ...deployments, vault, tracer, clock, log },
    limits: { keptRevisions, idleMs, deployTimeoutMs, drainMs },
    createDriver,
    createHub: (records, driver) =>
      createHub({ driver, targets, drainMs, log, ...listenerParts(records, folder, log) }),
    figures: { readOwn: () => metrics.reading(), stepMs: figuresStepMs },
  })
  started.add('agent servers', () => leading.stop())
  const dashboard = openDashboard(config, { started, log })
  const { pages } = dashboard
  const plane = { leading, domains, hosts, vault, metrics, tracer, pages, log }
  const parts = { ...installation, ...deployments, ...plane }
  const { app, address, ...door } = await openControlPlane(config, parts)
  const candidate = createCandidate(config, parts)
  const steered = { targets, hosts, candidate }
  const gateway = createGateway(config, { ...door, ...steered, app, metrics, tracer, log })
  started.add('candidate', () => candidate.stop())
  await candidate.start(gateway)

  if (config.tls) started.add('certificate', followCertificate(gateway, config.tls, { log }))
  started.add('gateway', () => gateway.stop())
  const { host, port } = config
  const url = await gateway.start({ host, port, certificate, certificates })
  address.listensAt(url)
  listening.resolve(url)
  await candidate.announce(url)
  if (!candidate.isLeading && !objects.isShared) warnOfOwnFolder(log)
  return {
    url,
    fetch: async (input, init) => app.fetch(new Request(input, init)),
    adminKey: admin.key,
    isAdminKeyNew: admin.isNew,
    isLeading: () => candidate.isLeading,
    whenServing: (limitMs) => leading.whenServing(limitMs),
    buildDashboard: () => dashboard.build(),
    whenDashboard: () => dashboard.whenThere(),
    stop: () => started.stop(),
  }
}

/** Another control plane leads, whose folder this one cannot read. */
function warnOfOwnFolder(log: Log): void {
  log.warn(
    {},
    'several control planes share this database, and each keeps uploaded tarballs and built folders in a data ' +
      'folder of its own: should this one lead, deployments from a tarball have no source here. Set ' +
      'RUNYARD_ARTIFACTS_URL on all of them',
  )
}

/** What the hub exchanges with listeners, beside their orders. */
function listenerParts(
  store: ControlPlaneStore,
  { deploymentLogs }: DataFolder,
  log: Log,
): Pick<HubOptions, 'homeKey' | 'dataKey' | 'placeOf' | 'appendLog'> {
  return {
    homeKey: async (deployment_id) =>
      agentKeyOf(store.signingKey, await keyed(store, deployment_id)),
    dataKey: (deployment_id) => dataKeyOf(store.signingKey, deployment_id),
    async placeOf(listener_id, { deployment_id, revision_id }) {
      const place = placeOf(listener_id, await store.deployments.get(deployment_id))
      if (place !== 'there') return place
      return (await store.revisions.get(deployment_id, revision_id)) ? 'there' : 'nowhere'
    },
    appendLog: createReportedLogs(deploymentLogs, log),
  }
}

/** What a runtime driver reads from the record. */
function recordOf({ deployments, revisions }: ControlPlaneStore) {
  return {
    has: async (id: string) => (await deployments.get(id)) !== undefined,
    async isOver(deployment_id: string, revision_id: string) {
      const revision = await revisions.get(deployment_id, revision_id)
      return !revision || isRevisionOver(revision.status)
    },
  }
}

/** The inputs of a deployment's agent key. */
async function keyed({ deployments }: ControlPlaneStore, id: string) {
  const { agent_key_nonce = null } = (await deployments.get(id)) ?? {}
  return { id, agent_key_nonce }
}

/** The control plane's URL for agents: its certificate is only valid for the public name. */
function homeUrl(config: UpConfig, listening: string): string {
  const { agentsUrl, internalUrl, publicUrl, tls } = config
  return agentsUrl ?? internalUrl ?? (tls && publicUrl) ?? listening
}

/** The data folder, locked by this process, with its keys and its database. */
async function openInstallation(config: UpConfig, started: Started, log: Log) {
  const folder = openDataFolder(config.dataDir)
  started.add('lock', lockFolder(folder.lock))
  await requireDatabaseRights(config)
  if (config.kubernetes) await requireCluster(config.kubernetes, log)
  const keys = new EncryptionKeys(config, createSecretBox)
  const store = await openControlPlaneStore(config.databaseUrl ?? folder.database, keys.box)
  started.add('store', () => store.close())
  await keys.settle(store)
  const admin = findAdminKey(config.dataDir, config.adminKey)
  await ensureAdminKey(store.apiKeys, admin.key, clock)
  return { folder, store, admin, keys }
}

/** Several control planes may share PostgreSQL; SQLite belongs to one data folder. */
function createCandidate(config: UpConfig, parts: CandidateParts): Candidate {
  const { databaseUrl, dataDir, internalUrl } = config
  if (databaseUrl === undefined) return createSoleCandidate(parts)
  return createElectedCandidate(parts, { holder: findInstanceId(dataDir), internalUrl })
}

type GatewayParts = Pick<GatewayOptions, 'authenticate' | 'log'> &
  Pick<OpenedControlPlane, 'app'> & {
    metrics: ControlPlaneMetrics
    tracer: Tracer
    targets: Targets
    hosts: HostNames
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
