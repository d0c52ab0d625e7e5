/**
 * The docker driver: agent servers in containers of an engine that speaks Docker's API. They outlive this
 * process; the next driver of the installation finds them by their labels and goes on with them.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { RuntimeDriver, RuntimeSpec } from '../../core/deployment/runtime.ts'
import { createReplicasDriver } from '../replicas/driver.ts'
import type { LaunchOptions } from '../replicas/supervisor.ts'
import { runAgentContainer } from './agent-container.ts'
import { openEngine } from './engine.ts'
import { type FoundContainer, FoundContainers } from './found.ts'
import { installationOf, tokenOf } from './labels.ts'
import { containerLimits } from './limits.ts'
import { removeNetwork } from './network.ts'
import { type DockerDriverOptions, type Ground, ReplicaContainer } from './replica-container.ts'

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
  const inner = createReplicasDriver(options, (spec) => {
    const left = inherited.get(spec.revision_id) ?? []
    inherited.delete(spec.revision_id)
    return (terms) => launch(spec, ground, { ...terms, found: left.shift() })
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

function launch(
  spec: RuntimeSpec,
  ground: Ground,
  { found, ...terms }: LaunchOptions & { found: FoundContainer | undefined },
) {
  const { options, engine } = ground
  const replica = found?.replica ?? randomUUID()
  const token = tokenOf(options.docker.key, replica)
  const { isStandby } = terms
  const container = new ReplicaContainer(spec, ground, { replica, token, isStandby })
  return runAgentContainer({
    ...terms,
    engine,
    token,
    memoryMb: containerLimits(spec.resource_spec).memoryMb,
    isLinked: () => (found ? container.wasLinked(found.id) : container.isLinked()),
    begin: (signal) => (found ? container.find(found.id) : container.create(signal)),
    urlOf: (one) => container.urlOf(one),
    isAdopted: found !== undefined,
    log: options.log,
  })
}
