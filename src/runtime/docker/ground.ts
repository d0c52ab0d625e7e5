/** The options of a docker driver, and what its parts share. */
import type { Backoff } from '../../process/restarts.ts'
import type { HealthCheck } from '../replicas/health.ts'
import type { RuntimeParts } from '../runtime-parts.ts'
import type { Engine } from './engine.ts'
import type { FoundContainers } from './found.ts'
import type { DockerSettings } from './settings.ts'

export interface DockerDriverOptions extends Omit<RuntimeParts, 'docker'> {
  docker: DockerSettings
  /** The health check of a server that was healthy. Default: three failures in a row, within 10 s each. */
  healthCheck?: Partial<HealthCheck>
  /** The wait before a server that died is restarted. Default: at once, then 100 ms to 10 s. */
  backoff?: Partial<Backoff>
  /** How long an agent server that is no longer needed may take to drain, in ms. Default: 60,000. */
  retireLimitMs?: number
  /** When a deploy log is rotated. Default: 10 MiB. */
  maxLogBytes?: number
}

/** What the parts of one driver share. */
export interface Ground {
  options: DockerDriverOptions
  engine: Engine
  installation: string
  found: FoundContainers
}
