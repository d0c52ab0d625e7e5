/** `runyard up`: the control plane, the gateway and every deployment, on one address. */
import { getRequestListener } from '@hono/node-server'
import type { UpConfig } from '../config.ts'
import {
  type Candidate,
  type CandidateParts,
  createElectedCandidate,
  createSoleCandidate,
} from '../control-plane/leadership/candidate.ts'
import { Leading } from '../control-plane/leadership/leading.ts'
import { ensureAdminKey } from '../control-plane/people/installation.ts'
import { systemClock as clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { agentKeyOf } from '../core/oauth/agent-key.ts'
import { Gateway, type GatewayOptions } from '../gateway/gateway.ts'
import { Targets } from '../gateway/target-table.ts'
import { close, listen } from '../http/listen.ts'
import { followCertificate, readCertificate } from '../installation/certificate.ts'
import { findAdminKey, findInstanceId, openDataFolder } from '../installation/data-folder.ts'
import { EncryptionKeys } from '../installation/encryption-keys.ts'
import { Started } from '../process/started.ts'
import { createSecretBox } from '../storage/control-plane/secret-box.ts'
import { openControlPlaneStore } from '../storage/control-plane/store.ts'
import { lockFolder } from '../storage/db/sqlite/folder-lock.ts'
import { type OpenedControlPlane, openControlPlane } from './control-plane.ts'
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
  const { folder, admin, store } = installation
  const listening = Promise.withResolvers<string>()
  const home = async (deployment_id: string) => ({
    url: homeUrl(config, await listening.promise),
    key: agentKeyOf(store.signingKey, deployment_id),
  })
  const { createDriver, ...deployments } = openDeployments(config, folder, { home, log })
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
  listening.resolve(url)
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

/** Where agents of this machine find it: a certificate is good for its public name only. */
function homeUrl({ internalUrl, publicUrl, tls }: UpConfig, listening: string): string {
  return internalUrl ?? (tls && publicUrl) ?? listening
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

/** Several may share a database server; one in the data folder is the folder's own. */
function createCandidate(config: UpConfig, parts: CandidateParts): Candidate {
  const { databaseUrl, dataDir, internalUrl } = config
  if (databaseUrl === undefined) return createSoleCandidate(parts)
  return createElectedCandidate(parts, { holder: findInstanceId(dataDir), internalUrl })
}

type GatewayParts = Pick<GatewayOptions, 'authenticate' | 'log'> &
  Pick<OpenedControlPlane, 'app' | 'metrics'> & {
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
