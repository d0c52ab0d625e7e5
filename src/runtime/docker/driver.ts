/**
 * The docker driver: agent servers in containers of an engine that speaks Docker's API. They outlive this
 * process; the next driver of the installation finds them by their labels and goes on with them.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { RuntimeDriver, RuntimeSpec } from '../../core/deployment/runtime.ts'
import { AppError } from '../../core/errors.ts'
import type { Backoff } from '../../process/restarts.ts'
import { DeployLog, deployLogPaths } from '../deploy-log.ts'
import { createReplicasDriver } from '../replicas/driver.ts'
import { DEFAULT_HEALTH_CHECK } from '../replicas/health.ts'
import { DEFAULT_HEALTH_TIMEOUT_MS } from '../replicas/late-start.ts'
import { type Hearing, Replicas } from '../replicas/replicas.ts'
import { type LaunchOptions, Supervisor, type SupervisorOptions } from '../replicas/supervisor.ts'
import type { RuntimeParts } from '../runtime-parts.ts'
import { runAgentContainer } from './agent-container.ts'
import { openEngine } from './engine.ts'
import { type FoundContainer, FoundContainers } from './found.ts'
import type { DockerDriverOptions, Ground } from './ground.ts'
import { installationOf, tokenOf } from './labels.ts'
import { containerLimits } from './limits.ts'
import { removeNetwork } from './network.ts'
import { ReplicaContainer } from './replica-container.ts'

const DEFAULT_BACKOFF: Backoff = { firstMs: 0, baseMs: 100, maxMs: 10_000, resetMs: 60_000 }
const DEFAULT_RETIRE_LIMIT_MS = 60_000
const DEFAULT_MAX_LOG_BYTES = 10 * 1024 * 1024
/** How long a start waits for an engine that is away before it says so, in ms. */
const LISTING_MS = 5_000

export function createDockerDriver(options: DockerDriverOptions): RuntimeDriver {
  const { docker, log } = options
  const engine = openEngine(docker)
  const installation = installationOf(docker.key)
  const ordered = options.ordered ?? Promise.resolve()
  const found = new FoundContainers(engine, { installation, ordered, log })
  const ground = { options, engine, installation, found }
  const inherited = new Map<string, FoundContainer[]>()
  const inner = createReplicasDriver({
    create: (spec, hearing) => {
      const left = inherited.get(spec.revision_id) ?? []
      inherited.delete(spec.revision_id)
      return createReplicas(spec, ground, { left, hearing })
    },
    log,
  })
  const ownersOf = new Map<string, string>()
  const stop = async (revision_id: string, graceMs: number) => {
    await Promise.all([inner.stop(revision_id, graceMs), found.remove(revision_id, graceMs)])
    const deployment_id = ownersOf.get(revision_id)
    if (deployment_id === undefined || inner.revisionsOf(deployment_id).length > 0) return
    await removeNetwork(engine, { installation, deployment_id })
  }
  return {
    ...inner,
    async start(spec) {
      ownersOf.set(spec.revision_id, spec.deployment_id)
      await Promise.race([found.listed, delay(LISTING_MS, undefined, { ref: false })])
      const left = found.take(spec.revision_id)
      if (left.length > 0) inherited.set(spec.revision_id, left)
      await inner.start({ ...spec, replicas: Math.max(spec.replicas ?? 1, left.length) })
    },
    revisionsOf: (id) => [...new Set([...inner.revisionsOf(id), ...found.revisionsOf(id)])],
    stop,
    async stopAll(graceMs) {
      found.stop()
      await Promise.all([inner.stopAll(graceMs), found.removeAll(graceMs)])
      const owners = new Set(ownersOf.values())
      await Promise.all(
        [...owners].map((deployment_id) => removeNetwork(engine, { installation, deployment_id })),
      )
    },
    async leave(graceMs) {
      found.stop()
      await inner.leave(graceMs)
    },
  }
}

function createReplicas(
  spec: RuntimeSpec,
  ground: Ground,
  { left, hearing }: { left: FoundContainer[]; hearing: Hearing },
): Replicas {
  const { options } = ground
  const { revision_id, deployment_id } = spec
  const log = options.log.child({ revision_id, deployment_id })
  const path = options.logsDir && deployLogPaths(options.logsDir, revision_id)[0]
  const maxBytes = options.maxLogBytes ?? DEFAULT_MAX_LOG_BYTES
  const deployLog = new DeployLog({ path, maxBytes, clock: options.clock, log })
  return new Replicas({
    deployment_id,
    supervise: (each) => supervise(spec, ground, { deployLog, left, ...each }),
    isStandby: spec.isStandby ?? false,
    retireLimitMs: options.retireLimitMs ?? DEFAULT_RETIRE_LIMIT_MS,
    deployLog,
    ...hearing,
  })
}

function supervise(
  spec: RuntimeSpec,
  ground: Ground,
  {
    left,
    ...each
  }: Pick<SupervisorOptions, 'deployLog' | 'isStandby' | 'onChange' | 'onLast'> & {
    left: FoundContainer[]
  },
): Supervisor {
  const { options } = ground
  const { revision_id, deployment_id } = spec
  return new Supervisor({
    ...each,
    launch: (terms) => launch(spec, ground, { ...each, ...terms, found: left.shift() }),
    healthTimeoutMs: options.healthTimeoutMs ?? DEFAULT_HEALTH_TIMEOUT_MS,
    healthCheck: { ...DEFAULT_HEALTH_CHECK, ...options.healthCheck },
    backoff: { ...DEFAULT_BACKOFF, ...options.backoff },
    clock: options.clock,
    log: options.log.child({ revision_id, deployment_id }),
  })
}

function launch(
  spec: RuntimeSpec,
  ground: Ground,
  terms: LaunchOptions &
    Pick<SupervisorOptions, 'deployLog'> & { found: FoundContainer | undefined },
) {
  const { options, engine } = ground
  const { found, deployLog, isStandby, onLoad, onLast, onWait } = terms
  const replica = found?.replica ?? randomUUID()
  const token = tokenOf(options.docker.key, replica)
  const container = new ReplicaContainer(spec, ground, { replica, token, isStandby })
  return runAgentContainer({
    engine,
    token,
    memoryMb: containerLimits(spec.resource_spec).memoryMb,
    isLinked: () => (found ? container.wasLinked(found.id) : container.isLinked()),
    begin: (signal) => (found ? container.find(found.id) : container.create(signal)),
    urlOf: (one) => container.urlOf(one),
    isStandby,
    isAdopted: found !== undefined,
    onLine: (line) => deployLog.line(line),
    onLoad,
    onLast,
    onWait,
    log: options.log,
  })
}

/** Throws `bad_request` if the driver has no settings. */
export function requireDocker(parts: RuntimeParts): DockerDriverOptions {
  const { docker } = parts
  if (!docker) throw new AppError('bad_request', 'The runtime driver docker has no settings.')
  return { ...parts, docker }
}
