/** What a docker driver is made from, and what its parts have in common. */
import type { Backoff } from '../../child-process/restarts.ts'
import type { RuntimeParts } from '../parts.ts'
import type { HealthCheck } from '../replicas/health.ts'
import type { Engine } from './engine.ts'
import type { FoundContainers } from './found.ts'
import type { DockerSettings } from './settings.ts'

export interface DockerDriverOptions extends Omit<RuntimeParts, 'docker'> {
  docker: DockerSettings
  /** What one that was healthy is held to. Default: three answers in a row within 10 s each. */
  healthCheck?: Partial<HealthCheck>
  /** Before one that died is started again. Default: at once, then 100 ms to 10 s. */
  backoff?: Partial<Backoff>
  /** How long an agent server that is no longer needed may take to drain, in ms. Default: 60,000. */
  retireLimitMs?: number
  /** When a deploy log is rotated. Default: 10 MiB. */
  maxLogBytes?: number
}

/** What the parts of one driver have in common. */
export interface Ground {
  options: DockerDriverOptions
  engine: Engine
  installation: string
  found: FoundContainers
}
