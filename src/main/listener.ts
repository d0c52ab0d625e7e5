/** `runyard listener`: runs deployments in this cluster for a remote control plane. */
import { randomBytes, scryptSync } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock as clock } from '../core/clock.ts'
import { AppError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { Gateway } from '../gateway/gateway.ts'
import { HostNames } from '../gateway/route.ts'
import { Targets } from '../gateway/target-table.ts'
import { createCallers, createControlPlaneClient } from '../listener/client.ts'
import { Listener } from '../listener/listener.ts'
import { Logs } from '../listener/logs.ts'
import { Started } from '../process/started.ts'
import { aborted } from '../process/stop-signal.ts'
import { deployLogPaths } from '../runtime/deploy-log.ts'
import { createDriver } from '../runtime/drivers.ts'
import { requireCluster } from '../runtime/kubernetes/require-cluster.ts'
import type { ListenerConfig } from '../settings/config.ts'
import { lockFolder } from '../storage/db/sqlite/folder-lock.ts'
import { readVersion } from '../version.ts'
import { createDeploymentDatabases, requireDatabaseRights } from './deployment-databases.ts'
import { followCertificate, readCertificate } from './installation/certificate.ts'
import { openDataFolder } from './installation/data-folder.ts'
import { KEY_BYTES, replaceFile } from './installation/key-file.ts'

/** How long agent servers that cannot run without this process may take to end, in ms. */
const LEAVE_GRACE_MS = 10_000

interface RunningListener {
  /** The URL of its gateway. */
  url: string
  /** Settles when the control plane no longer accepts this listener. */
  refused: Promise<AppError>
  /** Agent servers keep running. */
  stop(): Promise<void>
}

/** Settles when the first orders have come and the gateway listens. Throws the control plane's refusal. */
export async function startListener(
  config: ListenerConfig,
  { signal, log }: { signal: AbortSignal; log: Log },
): Promise<RunningListener> {
  const started = new Started(log)
  try {
    return await compose(config, { started, signal, log })
  } catch (error) {
    await started.stop()
    throw error
  }
}

async function compose(
  config: ListenerConfig,
  { started, signal, log }: { started: Started; signal: AbortSignal; log: Log },
): Promise<RunningListener> {
  const certificate = config.tls && readCertificate(config.tls)
  const folder = openDataFolder(config.dataDir)
  started.add('lock', lockFolder(folder.lock))
  await requireDatabaseRights(config)
  if (config.kubernetes) await requireCluster(config.kubernetes, log)
  const client = createControlPlaneClient({ url: config.url, key: config.apiKey })
  const homeKeys = new Map<string, string>()
  const dataKeys = new Map<string, string>()
  const ordered = Promise.withResolvers<void>()
  const driver = openDriver(config, folder, { homeKeys, dataKeys, ordered: ordered.promise, log })
  started.add('driver', () => driver.leave(LEAVE_GRACE_MS))
  const targets = new Targets()
  const listening: { url: string | null } = { url: config.publicUrl ?? null }
  const hosts = new HostNames({ ownUrls: () => [listening.url] })
  const gateway = new Gateway({
    authenticate: createCallers(client, clock),
    targets,
    hosts,
    fallback: answerRoot,
    ...(config.maxBodyBytes !== undefined && { maxBodyBytes: config.maxBodyBytes }),
    log,
  })
  const remembered = openRevisionsFile(config.dataDir, log)
  const logs = new Logs((revision_id) => deployLogPaths(folder.deploymentLogs, revision_id)[0])
  logs.skip(Object.keys(remembered.load()))
  const refusal = Promise.withResolvers<AppError>()
  const listener = new Listener({
    ...{ driver, targets, hosts, remembered, logs, log, runyard: readVersion() },
    exchange: (report, aborting) => client.exchange(report, aborting),
    url: () => listening.url,
    setHomeKey: (deployment_id, key) => homeKeys.set(deployment_id, key),
    setDataKey: (deployment_id, key) => dataKeys.set(deployment_id, key),
    onRefused: refusal.resolve,
  })
  started.add('exchange', () => listener.stop())
  await whenOrdered(listener.start(), refusal.promise, signal)
  ordered.resolve()
  if (config.tls) started.add('certificate', followCertificate(gateway, config.tls, { log }))
  started.add('gateway', () => gateway.stop())
  const { host, port } = config
  const url = await gateway.start({ host, port, certificate })
  listening.url ??= url
  return { url, refused: refusal.promise, stop: () => started.stop() }
}

/** The gateway accepts requests once it knows their targets. */
async function whenOrdered(
  ordered: Promise<void>,
  refused: Promise<AppError>,
  signal: AbortSignal,
): Promise<void> {
  const stopped = aborted(signal).then(() => new AppError('unavailable', 'It was stopped.'))
  const refusal = await Promise.race([ordered, refused, stopped])
  if (refusal) throw refusal
}

type Folder = ReturnType<typeof openDataFolder>

/** The drivers of a control plane, without those for built folders: a listener starts images. */
function openDriver(
  config: ListenerConfig,
  folder: Folder,
  {
    homeKeys,
    dataKeys,
    ...parts
  }: {
    homeKeys: ReadonlyMap<string, string>
    dataKeys: ReadonlyMap<string, string>
    ordered: Promise<void>
    log: Log
  },
) {
  const key = findDriverKey(config.dataDir)
  return createDriver(config.runtime, {
    command: { file: process.execPath, args: [] },
    locate() {
      throw new AppError(
        'bad_request',
        'A listener starts images: what is built elsewhere is not here.',
      )
    },
    dataDir: folder.deploymentData,
    databaseUrl: createDeploymentDatabases(config, roleKeyOf(config, key)).urlOf,
    dataKey: (deployment_id) => dataKeys.get(deployment_id),
    async home(deployment_id) {
      return { url: config.url, key: homeKeys.get(deployment_id) ?? '' }
    },
    logsDir: folder.deploymentLogs,
    env: {},
    healthTimeoutMs: config.startTimeoutMs,
    drainMs: config.drainMs,
    ...(config.kubernetes && { kubernetes: config.kubernetes }),
    docker: { ...config.docker, image: config.image, key },
    ...parts,
    clock,
  })
}

/**
 * The key for passwords of roles. It must outlive the data folder, which is lost with a pod, since running agent
 * servers keep their passwords. The derivation is slow, since their code knows its result.
 */
function roleKeyOf({ databaseUrl }: ListenerConfig, driverKey: Uint8Array): Uint8Array {
  const url = databaseUrl === undefined ? undefined : new URL(databaseUrl)
  const password = url?.searchParams.get('password') ?? url?.password
  return password ? scryptSync(password, 'runyard: roles of a listener', KEY_BYTES) : driverKey
}

/** The key for tokens of containers: the same for each process of this listener. Secret. */
function findDriverKey(dataDir: string): Uint8Array {
  const file = join(dataDir, 'driver.key')
  if (!existsSync(file)) replaceFile(file, randomBytes(KEY_BYTES).toString('base64'))
  const key = Buffer.from(readFileSync(file, 'utf8'), 'base64')
  if (key.length === KEY_BYTES) return key
  throw new AppError(
    'bad_request',
    `${file} is not whole. Remove it; what runs here is then not found again, and has to be ended by hand.`,
  )
}

/** Deployments by their revisions that run here. The driver or the next orders restore lost entries. */
function openRevisionsFile(dataDir: string, log: Log) {
  const file = join(dataDir, 'revisions.json')
  return {
    load(): Record<string, string> {
      try {
        return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
      } catch (error) {
        log.warn({ err: error, file }, 'what ran here cannot be read')
        return {}
      }
    },
    save(deployments: Record<string, string>): void {
      try {
        replaceFile(file, JSON.stringify(deployments))
      } catch (error) {
        log.warn({ err: error, file }, 'what runs here cannot be written')
      }
    },
  }
}

/** Health checks call `/ok`. Everything else is below `/agents/`. */
const answerRoot: Exclude<ConstructorParameters<typeof Gateway>[0]['fallback'], string> = (
  req,
  res,
) => {
  const isOk = req.url === '/ok'
  res.writeHead(isOk ? 200 : 404, { 'content-type': 'application/json' })
  res.end(JSON.stringify(isOk ? { ok: true } : { detail: 'Agents answer below /agents/.' }))
}
