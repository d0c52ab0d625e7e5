/** From a revision's source to what its agent servers are started from. */
import type { Artifact } from '../artifacts/artifact.ts'
import type { Secret } from '../revision.ts'
import type { SourceConfig, SourceRevisionConfig } from '../sources/config.ts'
import type { Source } from '../sources/table.ts'

export interface BuildRequest {
  revision_id: string
  deployment_id: string
  /** Absent where nobody's build depends on it. */
  workspace_id?: string
  source: Source
  source_config: SourceConfig
  source_revision_config: SourceRevisionConfig
  /** The project's variables: its install scripts may need them. Never Runyard's own. */
  secrets: Secret[]
}

export interface BuiltRevision {
  artifact: Artifact
  /** The commit that was checked out; `null` for tarballs. */
  repo_commit_sha: string | null
}

/**
 * A build that did not work, told in a way that a revision's `status_message` can show: which step
 * (`fetch`, `unpack`, `configuration`, `install`, `build`), why, and the last lines of its log.
 */
export class BuildError extends Error {
  readonly step: string
  readonly logTail: string[]

  constructor(
    step: string,
    message: string,
    options: { cause?: unknown; logTail?: string[] } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'BuildError'
    this.step = step
    this.logTail = options.logTail ?? []
  }
}

/**
 * Why a build is aborted that somebody else goes on with: this control plane ends, or leads no longer. What runs
 * elsewhere goes on.
 */
export class HandedOver extends Error {
  constructor() {
    super('The build was handed over.')
    this.name = 'HandedOver'
  }
}

/** Builds revisions. */
export interface Builder {
  /**
   * Fetches, checks, installs and builds, from a clean folder each time: what an earlier try left
   * is removed first. Throws `BuildError`; rejects with the signal's reason when it is aborted,
   * with every process of the build gone, but for those that `HandedOver` leaves to another control plane.
   */
  build(request: BuildRequest, signal: AbortSignal): Promise<BuiltRevision>
  /** The result of a build that has ended well; `undefined` when there is none on this machine. */
  find(revision_id: string): Promise<BuiltRevision | undefined>
  /** The revisions of which more than a log is here. */
  list(): Promise<string[]>
  /** Removes what was built and keeps the log: the revision can be built again. */
  prune(revision_id: string): Promise<void>
  /** Removes the revision's folder. */
  remove(revision_id: string): Promise<void>
  /** Removes what is kept from build to build of a deployment. */
  removeKept(deployment_id: string): Promise<void>
}

/** Where uploaded tarballs lie. */
export interface Tarballs {
  /**
   * Stores what arrives under the object path and answers its size. Throws `too_large` beyond
   * `MAX_TARBALL_BYTES` and `bad_request` when it is no gzip file; nothing is kept then.
   */
  receive(object_path: string, body: AsyncIterable<Uint8Array>): Promise<number>
  /**
   * Has `work` done on a file of this machine that holds it, which is there for as long. `false`: it
   * never arrived, or is kept no longer.
   */
  use(object_path: string, work: (path: string) => Promise<void>): Promise<boolean>
  /** Nothing there is no error. */
  remove(object_path: string): Promise<void>
  /** All of a deployment's. */
  removeAll(deployment_id: string): Promise<void>
}
