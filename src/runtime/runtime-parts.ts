/** The parts of every runtime driver. Paths are absolute, and of this machine. */
import type { Clock } from '../core/clock.ts'
import type { FolderArtifact, LocalProject } from '../core/deployment/artifacts/artifact.ts'
import type { KubernetesSettings } from '../core/deployment/kubernetes-settings.ts'
import type { Sandbox } from '../core/deployment/sandbox.ts'
import type { Log } from '../core/log.ts'
import type { Home } from '../link/messages.ts'
import type { Backoff } from '../process/restarts.ts'
import type { DockerSettings } from './docker/engine.ts'
import type { HealthCheck } from './replicas/health.ts'

export interface RuntimeParts {
  /** The command for agent servers here; `serve` and its arguments follow (`link/messages.ts`). */
  command: AgentCommand
  /** Where a folder lies that was built here. */
  locate(artifact: FolderArtifact): LocalProject
  /** Where a deployment's agent servers keep their data. */
  dataDir(deployment_id: string): string
  /**
   * The PostgreSQL that they keep it in instead; absent: none. Their role exists when it resolves. Secret: it holds a
   * password.
   */
  databaseUrl?(deployment_id: string): Promise<string | undefined>
  /** The key with which they encrypt credentials there, as `StartMessage.dataKey`; absent or `undefined`: none. */
  dataKey?(deployment_id: string): string | undefined
  /** How they reach their control plane, once it can be reached; absent: there is none. */
  home?(deployment_id: string): Promise<Home>
  /**
   * Where their output goes, in the files of `deployLogPaths`: the control plane reads it there.
   * Absent: it is not kept.
   */
  logsDir?: string
  /** The environment of every agent server; a project's own variables are added by the child. */
  env: Readonly<Record<string, string>>
  /** The part of `env` for every machine: the operator's settings for agent servers. Default: nothing. */
  podEnv?: Readonly<Record<string, string>>
  /** Where pods fetch a build; `undefined`: nowhere. */
  artifactAddress?(artifact: FolderArtifact): Promise<ArtifactAddress | undefined>
  /** Resolves when the first orders of what is to run come; absent: at once. What is not ordered since is left over. */
  ordered?: Promise<void>
  /** The record of deployments; absent: what a driver finds stays, even without an order. */
  record?: RuntimeRecord
  /** The cluster of the driver `kubernetes`. */
  kubernetes?: KubernetesSettings
  /** How long open requests may go on at an agent server that others than the driver end, in ms. */
  drainMs?: number
  /** How long one may take until it is healthy, in ms. Default: 300,000. */
  healthTimeoutMs?: number
  /** The health check of a server that was healthy. Default: three failures in a row, within 10 s each. */
  healthCheck?: Partial<HealthCheck>
  /** The wait before a server that died is restarted. Default: at once, then 100 ms to 10 s. */
  backoff?: Partial<Backoff>
  /** How long an agent server that is no longer needed may take to drain, in ms. Default: 60,000. */
  retireLimitMs?: number
  /** When a deploy log is rotated. Default: 10 MiB. */
  maxLogBytes?: number
  /** The container engine of the driver `docker`. */
  docker?: DockerSettings
  /** The sandbox that they run in. Default: none. */
  sandbox?: Sandbox
  clock: Clock
  log: Log
}

/** The record that a driver's control plane keeps, as far as drivers need it. */
export interface RuntimeRecord {
  /** Distinguishes it from every other record; the value of a label. The same after a restart, and after a move. */
  id: string
  /** Rejects while the record cannot be read. */
  has(deployment_id: string): Promise<boolean>
  /**
   * Whether the revision's rollout has ended, or there is none such. Absent: nothing is built for this record. Rejects
   * as `has`.
   */
  isOver?(deployment_id: string, revision_id: string): Promise<boolean>
}

/** The address from which a pod fetches a folder. It works as long as the revision exists. */
export interface ArtifactAddress {
  /** Signed: it needs no key. Secret. */
  url: string
  digest: string
}

export interface AgentCommand {
  /** The Node binary, for projects that ask for no other. */
  file: string
  /** The arguments before `serve`: options of Node and the entry script. */
  args: readonly string[]
}
