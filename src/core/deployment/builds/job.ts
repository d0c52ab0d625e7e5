/**
 * A build that runs elsewhere, as a Job of a cluster: what it is told, what it answers, and what starts it.
 *
 * ```
 * control plane ── source, packed ──▶ Job ── built folder, packed ──▶ control plane
 *               ◀── log, and at the end `BuildJobEnd` ──
 * ```
 */
import type { FolderArtifact } from '../artifacts/artifact.ts'
import type { BuildRequest } from './build.ts'

/** What the program in the Job is told, as a file. Secret: it holds the project's variables and signed addresses. */
export interface BuildTask {
  request: BuildRequest
  /** The fetched source: see `ArtifactAddress`. */
  source: { url: string; digest: string }
  /** Where the packed folder is PUT; `DIGEST` in it stands for its SHA-256 in hex. */
  uploadUrl: string
  settings: BuildSettings
  limits: BuildJobLimits
}

/** What the operator says of package registries. */
export interface BuildSettings {
  /** What commands find in their environment, beside what the image has. */
  env: Readonly<Record<string, string>>
  /** By variable, the text of the file that it is to name. */
  files: Readonly<Record<string, string>>
  /** Variables that name the file of another one, by that one's name: certificates have many readers. */
  sameFiles?: Readonly<Record<string, string>>
}

export interface BuildJobLimits {
  /** As `RUNYARD_BUILD_TIMEOUT_SECS`, in ms: of each command. */
  commandMs: number
  /** As `RUNYARD_BUILD_MEMORY_MB`, in bytes: of each command with all that it started. */
  maxMemoryBytes: number
  /** As `RUNYARD_BUILD_CPUS`. */
  cpus: number
}

/** What was built, without what names it. */
export type MadeFolder = Pick<FolderArtifact, 'node_version' | 'config_path' | 'bundle' | 'python'>

/** How a build in a Job has ended. */
export type BuildJobEnd =
  /** It was uploaded, as far as the Job says. */
  | { kind: 'built'; made: MadeFolder; digest: string; bytes: number }
  /** As `BuildError`. */
  | { kind: 'failed'; step: string; message: string }

export interface BuildJob {
  revision_id: string
  deployment_id: string
  workspace_id: string | undefined
  /** Hears what the build prints, line by line, and what is waited for. */
  onLine(line: string): void
  /**
   * Aborted with `HandedOver`: the Job goes on, for whoever runs it next. With another reason it is ended. Rejects
   * with the reason in both cases.
   */
  signal: AbortSignal
  /** Fetches the source and says what the Job is told. Called where there is no Job of the revision yet. */
  prepare(): Promise<PreparedBuild>
}

export interface PreparedBuild {
  task: Omit<BuildTask, 'settings' | 'limits'>
  /** Kept with the Job, for whoever goes on with it. */
  repo_commit_sha: string | null
}

/** A Job that has ended, or was found so. */
export interface EndedJob {
  end: BuildJobEnd
  repo_commit_sha: string | null
  /** Whether an earlier control plane had begun it. */
  isFound: boolean
}

/** Where builds run as Jobs. */
export interface BuildJobs {
  /**
   * Begins the build of a revision, or goes on with the one that there is, and settles when it has ended. What can
   * be said of why it did not go well is in the answer. The Job itself stays until `remove`.
   */
  run(job: BuildJob): Promise<EndedJob>
  /** Nothing there is no error. Settles when nothing of it is left. */
  remove(revision_id: string): Promise<void>
  /** Stops watching. Jobs go on. */
  close(): void
}

const DIGEST = /^[0-9a-f]{64}$/
/** What a project's own code could have written: it leads nowhere but below the folder. */
const BELOW = /^(?!\/)(?!(.*\/)?\.\.(\/|$))[^\0]{1,4096}$/

/**
 * Reads what the program in a Job has said of its end; `undefined`: it said nothing of the kind. It is not believed
 * further than it concerns the deployment itself.
 */
export function readBuildJobEnd(text: string): BuildJobEnd | undefined {
  const said = parse(text)
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

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
