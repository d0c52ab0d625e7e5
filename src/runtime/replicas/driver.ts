/** A runtime driver that holds each revision's agent servers in this process, and starts them again itself. */
import type { RuntimeDriver, RuntimeSpec } from '../../core/deployment/runtime.ts'
import type { Backoff } from '../../process/restarts.ts'
import { openDeployLog } from '../deploy-log.ts'
import type { RuntimeParts } from '../runtime-parts.ts'
import { DEFAULT_HEALTH_CHECK } from './health.ts'
import { DEFAULT_HEALTH_TIMEOUT_MS } from './last-words.ts'
import { DEFAULT_RETIRE_LIMIT_MS, Replicas } from './replicas.ts'
import { createRevisionTable, type Hearing } from './revision-table.ts'
import type { RunningAgent } from './running-agent.ts'
import { type LaunchOptions, Supervisor } from './supervisor.ts'

/** Starts one agent server. Throws a sentence for people. */
type Launch = (terms: LaunchOptions) => RunningAgent

const DEFAULT_BACKOFF: Backoff = { firstMs: 0, baseMs: 100, maxMs: 10_000, resetMs: 60_000 }

/** `launcherOf` is called once for each start of a revision. */
export function createReplicasDriver(
  parts: RuntimeParts,
  launcherOf: (spec: RuntimeSpec) => Launch,
): RuntimeDriver {
  const table = createRevisionTable<Replicas>(parts.log)
  const { revisions, changed, noteLast, add, operations } = table
  return {
    ...operations,
    start: (spec) => {
      const { revision_id, deployment_id, replicas = 1 } = spec
      const hearing = {
        onChange: () => changed(revision_id, deployment_id),
        onLast: (reading: Parameters<Hearing['onLast']>[0]) => noteLast(deployment_id, reading),
      }
      return add(
        revision_id,
        () => createReplicas(spec, parts, { launch: launcherOf(spec), hearing }),
        (created) => created.scale(replicas, async () => {}),
      )
    },
    async leave(graceMs) {
      await Promise.all([...revisions.values()].map((one) => one.leave(graceMs)))
      revisions.clear()
    },
  }
}

/** They are not started yet. */
function createReplicas(
  { revision_id, deployment_id, isStandby = false }: RuntimeSpec,
  parts: RuntimeParts,
  { launch, hearing }: { launch: Launch; hearing: Hearing },
): Replicas {
  const { clock, retireLimitMs = DEFAULT_RETIRE_LIMIT_MS } = parts
  const { healthTimeoutMs = DEFAULT_HEALTH_TIMEOUT_MS } = parts
  const log = parts.log.child({ revision_id, deployment_id })
  const deployLog = openDeployLog(parts, revision_id, log)
  const healthCheck = { ...DEFAULT_HEALTH_CHECK, ...parts.healthCheck }
  const backoff = { ...DEFAULT_BACKOFF, ...parts.backoff }
  const common = { launch, deployLog, healthCheck, healthTimeoutMs, backoff, clock, log }
  return new Replicas({
    ...{ deployment_id, isStandby, retireLimitMs, deployLog, ...hearing },
    supervise: (each) => new Supervisor({ ...common, ...each }),
  })
}
