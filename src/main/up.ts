/** `runyard up`: the control plane, the gateway and every deployment, on one address. */
import { mkdirSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { createBuilder } from '../build/builder.ts'
import { revisionFolder, sourceFolderOf } from '../build/layout.ts'
import { createTarballs } from '../build/tarballs.ts'
import type { UpConfig } from '../config.ts'
import { ensureAdminKey } from '../control-plane/people/installation.ts'
import { BuildFollowers } from '../control-plane/rollout/build-followers.ts'
import { createControlPlaneApp } from '../control-plane/server/app.ts'
import { systemClock } from '../core/clock.ts'
import { deploymentDatabaseUrl } from '../core/database-url.ts'
import type { Builder } from '../core/deployment/build.ts'
import type { RevisionLogs } from '../core/deployment/revision-log.ts'
import type { RuntimeDriver } from '../core/deployment/runtime.ts'
import type { Sandbox } from '../core/deployment/sandbox.ts'
import type { Log } from '../core/log.ts'
import { Gateway } from '../gateway/gateway.ts'
import { bundlePath } from '../graph/js/bundle/write.ts'
import { checkProjectPackages } from '../graph/js/modules/langgraph-package.ts'
import { createAuthenticate } from '../http/keys.ts'
import { createVerifyUserToken } from '../http/user-tokens.ts'
import { followCertificate, readCertificate } from '../installation/certificate.ts'
import { bundleCommandPath, commandPath, ownPaths } from '../installation/command-path.ts'
import { type DataFolder, findAdminKey, openDataFolder } from '../installation/data-folder.ts'
import { EncryptionKeys } from '../installation/encryption-keys.ts'
import { checkProjectConfig } from '../project/config.ts'
import { deployLogPaths } from '../runtime/process/deploy-log.ts'
import { createProcessDriver } from '../runtime/process/driver.ts'
import { openSandbox } from '../sandbox/sandbox.ts'
import { openControlPlaneStore } from '../storage/control-plane/store.ts'
import { lockFolder } from '../storage/db/sqlite/folder-lock.ts'
import { dropSchema } from '../storage/open-db.ts'
import { createRevisionLogs } from '../telemetry/revision-logs.ts'
import { openControlPlaneMetrics } from './control-plane-metrics.ts'
import { createCandidate } from './election.ts'
import { Leading } from './leading.ts'
import { Started } from './lifecycle.ts'
import { close, listen } from './listen.ts'
import { whenServing } from './when-serving.ts'

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
  const clock = systemClock
  const certificate = config.tls && readCertificate(config.tls)
  const { folder, store, admin, keys } = await openInstallation(config, started)
  const verifyUserToken =
    config.userTokens && createVerifyUserToken(config.userTokens, { ...store, clock })
  const authenticate = createAuthenticate({ apiKeys: store.apiKeys, clock, verifyUserToken })
  const logs = createLogs(folder)
  let url = ''
  const tarballs = createTarballs({ dir: folder.builds })
  const metrics = await openControlPlaneMetrics(store)
  const { maxRequestsPerSecond } = config
  const app = createControlPlaneApp({
    metrics,
    ...(maxRequestsPerSecond !== undefined && { maxRequestsPerSecond }),
    store,
    tarballs,
    logs,
    buildFollowers: new BuildFollowers(clock),
    authenticate,
    signingKey: store.signingKey,
    changeEncryptionKey: () => keys.change(store),
    publicUrl: () => config.publicUrl ?? url,
    replicas: (revision_id) => leading.replicas(revision_id),
    wake: () => leading.wake(),
    whenTended: (deployment_id) => leading.whenTended(deployment_id),
    clock,
    log,
  })
  const fallback = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  const gateway = new Gateway({
    ...(config.maxBodyBytes !== undefined && { maxBodyBytes: config.maxBodyBytes }),
    authenticate,
    fallback,
    domain: config.domain,
    leader: () => (election.isLeading ? undefined : { url: election.leaderUrl }),
    onPassed: (request) => metrics.requestPassed(request),
    log,
  })
  const sandbox = openProjectSandbox(config, folder, log)
  const builder = createProjectBuilder(config, folder, { sandbox, log })
  const { targets } = gateway
  const removeData = createRemoval(config, folder)
  const leading = new Leading({
    parts: { builder, targets, tarballs, logs, removeData, clock, log },
    limits: {
      keptRevisions: config.keptRevisions,
      idleMs: config.idleMs,
      drainMs: config.drainMs,
    },
    createDriver: () => createDriver(config, folder, { sandbox, log }),
  })
  started.add('agent servers', () => leading.end())
  started.add('gateway', () => gateway.stop())
  const election = createCandidate(config, { store, gateway, leading, log }, () => url)
  started.add('election', () => election.stop())
  await election.start()

  const server = gateway.createServer(certificate)
  if (config.tls) started.add('certificate', followCertificate(server, config.tls, { log }))
  url = await listen(server, config)
  started.add('listener', () => close(server))
  await election.announce()
  return {
    url,
    fetch: async (input, init) => app.fetch(new Request(input, init)),
    adminKey: admin.key,
    isAdminKeyNew: admin.isNew,
    isLeading: () => election.isLeading,
    whenServing: async (limitMs) => {
      if (leading.driver) await whenServing(store, leading.driver, limitMs)
    },
    stop: () => started.stop(),
  }
}

/** The data folder, held by this process alone, with its keys and its database. */
async function openInstallation(config: UpConfig, started: Started) {
  const folder = openDataFolder(config.dataDir)
  started.add('lock', lockFolder(folder.lock))
  const keys = new EncryptionKeys(config)
  const store = await openControlPlaneStore(config.databaseUrl ?? folder.database, keys.box)
  started.add('store', () => store.close())
  await keys.settle(store)
  const admin = findAdminKey(config)
  await ensureAdminKey(store.apiKeys, admin.key, systemClock)
  return { folder, store, admin, keys }
}

/** Removes what a deployment leaves beside its builds. */
function createRemoval({ databaseUrl }: UpConfig, folder: DataFolder) {
  return async (deployment_id: string) => {
    if (databaseUrl) await dropSchema(deploymentDatabaseUrl(databaseUrl, deployment_id))
    await folder.removeDeployment(deployment_id)
  }
}

function createDriver(
  config: UpConfig,
  folder: DataFolder,
  { sandbox, log }: { sandbox: Sandbox; log: Log },
): RuntimeDriver {
  return createProcessDriver({
    command: ({ nodePath }) => ({ file: nodePath ?? process.execPath, args: [commandPath()] }),
    dataDir: folder.deploymentData,
    databaseUrl: (deployment_id) =>
      config.databaseUrl && deploymentDatabaseUrl(config.databaseUrl, deployment_id),
    logsDir: folder.deploymentLogs,
    env: { ...config.childEnv, ...config.agentServerEnv },
    sandbox,
    readable: ({ configPath, nodePath }) => [
      sourceFolderOf(folder.builds, configPath),
      ...(nodePath === null ? [] : [dirname(dirname(nodePath))]),
    ],
    clock: systemClock,
    log,
  })
}

/** Commands may read Runyard itself, programs that the PATH leads to, and certificates. */
function openProjectSandbox(
  { sandbox, dataDir, childEnv }: UpConfig,
  folder: DataFolder,
  log: Log,
) {
  const { PATH = '', NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, SSL_CERT_DIR, GIT_SSL_CAINFO } = childEnv
  const programs = PATH.split(delimiter).filter((path) => isAbsolute(path) && path !== '/')
  const certificates = [NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, SSL_CERT_DIR, GIT_SSL_CAINFO]
  const readable = [
    ...ownPaths(),
    process.execPath,
    ...programs.flatMap((path) => [path, join(dirname(path), 'lib/node_modules')]),
    ...certificates.filter((path) => path !== undefined),
  ]
  mkdirSync(folder.builds, { recursive: true, mode: 0o700 })
  return openSandbox({ setting: sandbox, dataDir, readable, log })
}

/** What `build/` and `runtime/` write down about a revision, to be read by the control plane. */
function createLogs(folder: DataFolder): RevisionLogs {
  return createRevisionLogs({
    paths: (kind, revision_id) =>
      kind === 'build'
        ? [revisionFolder(folder.builds, revision_id).log]
        : deployLogPaths(folder.deploymentLogs, revision_id),
  })
}

function createProjectBuilder(
  config: UpConfig,
  folder: DataFolder,
  { sandbox, log }: { sandbox: Sandbox; log: Log },
): Builder {
  return createBuilder({
    dir: folder.builds,
    checkConfig: checkProjectConfig,
    checkPackages: checkProjectPackages,
    ownNode: dirname(process.execPath),
    env: config.childEnv,
    sandbox,
    bundler: { command: [process.execPath, bundleCommandPath()], pathOf: bundlePath },
    limits: {
      installMs: config.buildTimeoutMs,
      buildMs: config.buildTimeoutMs,
      maxMemoryBytes: config.buildMemoryBytes,
    },
    clock: systemClock,
    log,
  })
}
