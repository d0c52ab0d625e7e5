/** What every runtime driver is made from. Paths are absolute, and of this machine. */
import type { Clock } from '../core/clock.ts'
import type { FolderArtifact, LocalProject } from '../core/deployment/artifact.ts'
import type { Home } from '../core/deployment/runtime-protocol.ts'
import type { Sandbox } from '../core/deployment/sandbox.ts'
import type { Log } from '../core/log.ts'

export interface RuntimeParts {
  /** What starts an agent server here; `serve` and its arguments are added (`core/deployment/runtime-protocol.ts`). */
  command: AgentCommand
  /** Where a folder lies that was built here. */
  locate(artifact: FolderArtifact): LocalProject
  /** Where a deployment's agent servers keep their data. */
  dataDir(deployment_id: string): string
  /** The PostgreSQL that they keep it in instead; absent: none. */
  databaseUrl?(deployment_id: string): string | undefined
  /** How they reach their control plane, once it can be reached; absent: there is none. */
  home?(deployment_id: string): Promise<Home>
  /**
   * Where their output goes, in the files of `deployLogPaths`: the control plane reads it there.
   * Absent: it is not kept.
   */
  logsDir?: string
  /** The environment of every agent server; a project's own variables are added by the child. */
  env: Readonly<Record<string, string>>
  /** What they run in; default: nothing that keeps them from anything. */
  sandbox?: Sandbox
  clock: Clock
  log: Log
}

export interface AgentCommand {
  /** The Node binary, for projects that ask for no other. */
  file: string
  /** What comes before `serve`: options of Node and the entry script. */
  args: readonly string[]
}
