/** The process driver: agent servers as child processes of this one. */

import type { FolderArtifact } from '../../core/deployment/artifacts/artifact.ts'
import type { RuntimeDriver, RuntimeSpec } from '../../core/deployment/runtime.ts'
import { noSandbox } from '../../core/deployment/sandbox.ts'
import type { Backoff } from '../../process/restarts.ts'
import { DeployLog, deployLogPaths } from '../deploy-log.ts'
import { createReplicasDriver } from '../replicas/driver.ts'
import { DEFAULT_HEALTH_CHECK, type HealthCheck } from '../replicas/health.ts'
import { DEFAULT_HEALTH_TIMEOUT_MS } from '../replicas/late-start.ts'
import { type Hearing, Replicas } from '../replicas/replicas.ts'
import { Supervisor, type SupervisorOptions } from '../replicas/supervisor.ts'
import type { RuntimeParts } from '../runtime-parts.ts'
import { startAgentProcess } from './agent-process.ts'
import { heapArguments, memoryLimitMb } from './memory.ts'

export interface ProcessDriverOptions extends RuntimeParts {
  /** Receives each line of their output. */
  onLine?(line: string, revision_id: string): void
  /** Receives the files of a revision's project as they are imported. */
  onSources?(files: string[], revision_id: string): void
  /** The health check of a server that was healthy. Default: three failures in a row, within 10 s each. */
  healthCheck?: Partial<HealthCheck>
  /** The wait before a server that died is restarted. Default: at once, then 100 ms to 10 s. */
  backoff?: Partial<Backoff>
  /** How long an agent server that is no longer needed may take to drain, in ms. Default: 60,000. */
  retireLimitMs?: number
  /** When a deploy log is rotated. Default: 10 MiB. */
  maxLogBytes?: number
}

const DEFAULT_BACKOFF: Backoff = { firstMs: 0, baseMs: 100, maxMs: 10_000, resetMs: 60_000 }
/** Longer than the limits that it gets (`RETIRING_LIMITS`). */
const DEFAULT_RETIRE_LIMIT_MS = 60_000
const DEFAULT_MAX_LOG_BYTES = 10 * 1024 * 1024

/**
 * A driver whose agent servers live only as long as this process: when it ends, in whatever way, they see their IPC
 * channel close and end too. After a restart the driver observes nothing, and the caller starts again what is to run.
 */
export function createProcessDriver(options: ProcessDriverOptions): RuntimeDriver<FolderArtifact> {
  return createReplicasDriver({
    create: (spec, hearing) => createReplicas(spec, options, hearing),
    log: options.log,
  })
}

function createReplicas(
  spec: RuntimeSpec<FolderArtifact>,
  options: ProcessDriverOptions,
  hearing: Hearing,
): Replicas {
  const { clock } = options
  const { revision_id, deployment_id } = spec
  const log = options.log.child({ revision_id, deployment_id })
  const path = options.logsDir && deployLogPaths(options.logsDir, revision_id)[0]
  const maxBytes = options.maxLogBytes ?? DEFAULT_MAX_LOG_BYTES
  const deployLog = new DeployLog({ path, maxBytes, clock, log })
  return new Replicas({
    deployment_id,
    supervise: (each) => supervise(spec, options, { deployLog, ...each }),
    isStandby: spec.isStandby ?? false,
    retireLimitMs: options.retireLimitMs ?? DEFAULT_RETIRE_LIMIT_MS,
    deployLog,
    ...hearing,
  })
}

function supervise(
  spec: RuntimeSpec<FolderArtifact>,
  options: ProcessDriverOptions,
  each: Pick<SupervisorOptions, 'deployLog' | 'isStandby' | 'onChange' | 'onLast'>,
): Supervisor {
  const { clock } = options
  const { revision_id, deployment_id } = spec
  const limitMb = memoryLimitMb(spec.resource_spec)
  const project = options.locate(spec.artifact)
  const { file, args } = options.command
  const command = {
    file: project.node?.path ?? file,
    args: [...heapArguments(limitMb, { isBesidePython: project.python !== null }), ...args],
  }
  return new Supervisor({
    ...each,
    launch: (terms) =>
      startAgentProcess({
        ...terms,
        spec,
        project,
        command,
        dataDir: options.dataDir(deployment_id),
        databaseUrl: options.databaseUrl?.(deployment_id),
        dataKey: options.dataKey?.(deployment_id),
        memoryLimitMb: limitMb,
        home: options.home?.(deployment_id),
        env: options.env,
        sandbox: options.sandbox ?? noSandbox,
        onLine: (line) => {
          each.deployLog.line(line)
          options.onLine?.(line, revision_id)
        },
        onSources: (files) => options.onSources?.(files, revision_id),
      }),
    healthTimeoutMs: options.healthTimeoutMs ?? DEFAULT_HEALTH_TIMEOUT_MS,
    healthCheck: { ...DEFAULT_HEALTH_CHECK, ...options.healthCheck },
    backoff: { ...DEFAULT_BACKOFF, ...options.backoff },
    clock,
    log: options.log.child({ revision_id, deployment_id }),
  })
}
