/**
 * A build that runs as a Job of a cluster: its input, its result, and the port that starts it. At the end, the variables
 * that go along with it, and with a build in a container.
 *
 * ```
 * control plane ── source, packed ──▶ Job ── built folder, packed ──▶ control plane
 *               ◀── log, and at the end `BuildJobEnd` ──
 * ```
 */

import { isAbsolute } from 'node:path'
import { isObject, jsonIn } from '../../json.ts'
import type { FolderArtifact } from '../artifacts/artifact.ts'
import type { BuildRequest } from './build.ts'

/** The input of the program in the Job, as a file. Secret: it holds the project's variables and signed addresses. */
export interface BuildTask {
  request: BuildRequest
  /** The fetched source: see `ArtifactAddress`. */
  source: { url: string; digest: string }
  /** Where the packed folder is PUT; `DIGEST` in it is replaced by its SHA-256 in hex. */
  uploadUrl: string
  settings: BuildSettings
  limits: BuildJobLimits
}

/** The operator's settings for package registries. */
export interface BuildSettings {
  /** Variables of the commands, in addition to the image's. */
  env: Readonly<Record<string, string>>
  /** For each variable, the text of the file that it names. */
  files: Readonly<Record<string, string>>
  /** Variables that name the same file as another variable: several programs read one certificate. */
  sameFiles?: Readonly<Record<string, string>>
}

export interface BuildJobLimits {
  /** As `RUNYARD_BUILD_TIMEOUT_SECS`, in ms: of each command. */
  commandMs: number
  /** As `RUNYARD_BUILD_MEMORY_MB`, in bytes: of each command with its child processes. */
  maxMemoryBytes: number
  /** As `RUNYARD_BUILD_CPUS`. */
  cpus: number
}

/** The build's result without the names. */
export type MadeFolder = Pick<FolderArtifact, 'node_version' | 'config_path' | 'bundle' | 'python'>

/** How a build in a Job ended. */
export type BuildJobEnd =
  /** It was uploaded, according to the Job. */
  | { kind: 'built'; made: MadeFolder; digest: string; bytes: number }
  /** As `BuildError`. */
  | { kind: 'failed'; step: string; message: string }

export interface BuildJob {
  revision_id: string
  deployment_id: string
  workspace_id: string | undefined
  /** Receives each line of the build's output, and what it waits for. */
  onLine(line: string): void
  /**
   * Aborting with `HandedOver` leaves the Job running for the next control plane; any other reason ends it. `run`
   * rejects with the reason in both cases.
   */
  signal: AbortSignal
  /** Fetches the source and returns the Job's input. Called if the revision has no Job yet. */
  prepare(): Promise<PreparedBuild>
}

export interface PreparedBuild {
  task: Omit<BuildTask, 'settings' | 'limits'>
  /** Stored with the Job, for the next control plane. */
  repo_commit_sha: string | null
}

/** A Job that has ended. */
export interface EndedJob {
  end: BuildJobEnd
  repo_commit_sha: string | null
  /** Whether an earlier control plane started it. */
  isFound: boolean
}

/** The port for builds as Jobs. */
export interface BuildJobs {
  /**
   * Starts the build of a revision, or continues the existing one, and settles at its end. The result describes a
   * failure as far as it is known. The Job itself stays until `remove`.
   */
  run(job: BuildJob): Promise<EndedJob>
  /** No error if there is none. Settles when nothing of it is left. */
  remove(revision_id: string): Promise<void>
  /** Stops watching. Jobs go on. */
  stop(): void
}

const DIGEST = /^[0-9a-f]{64}$/
/** A project's own code could have written the path, so it must not leave the folder. */
const BELOW = /^(?!\/)(?!(.*\/)?\.\.(\/|$))[^\0]{1,4096}$/

/**
 * Reads the end that the program in a Job reported; `undefined`: its form is invalid. Nothing in it can affect anything
 * but the deployment itself.
 */
export function readBuildJobEnd(text: string): BuildJobEnd | undefined {
  const json = jsonIn(text)
  const said = isObject(json) ? json : undefined
  if (said?.kind === 'failed' && isText(said.step) && isText(said.message)) {
    return { kind: 'failed', step: said.step, message: said.message }
  }
  const { kind, digest, bytes, made } = said ?? {}
  const isWhole =
    kind === 'built' && isText(digest) && DIGEST.test(digest) && Number.isSafeInteger(bytes)
  const folder = isWhole ? readMade(made) : undefined
  return folder && { kind: 'built', made: folder, digest: String(digest), bytes: Number(bytes) }
}

function readMade(made: unknown): MadeFolder | undefined {
  const { node_version, config_path, bundle, python } = (made ?? {}) as Record<string, unknown>
  const isVersion = node_version === null || (isText(node_version) && /^[\d.]+$/.test(node_version))
  if (!isVersion || !isBelow(config_path)) return undefined
  if (bundle !== null && !isBelow(bundle)) return undefined
  if (python !== null && !isBelow(python)) return undefined
  return { node_version: node_version as string | null, config_path, bundle, python }
}

function isBelow(path: unknown): path is string {
  return isText(path) && BELOW.test(path)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** A container has its own folders, users and shells. */
const OF_THIS_MACHINE =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TEMP|TMP|XDG_\w+|npm_config_(cache|userconfig|globalconfig)|(PIP|UV)_CACHE_DIR)$/i

const FILES =
  /^(NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|GIT_SSL_CAINFO|npm_config_cafile|PIP_(CERT|CONFIG_FILE|FIND_LINKS)|UV_(CONFIG_FILE|FIND_LINKS))$/i

/** Whether the value of a variable of this machine's builds is not valid elsewhere. */
export function isOfThisMachine(name: string): boolean {
  return OF_THIS_MACHINE.test(name)
}

/** The files and folders of this machine that a variable of the operator names. */
export function filesOf(name: string, value: string): string[] {
  return FILES.test(name) ? value.split(/[\s,]+/).filter((one) => isAbsolute(one)) : []
}
