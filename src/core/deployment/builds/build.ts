/** From a revision's source to the artifact for its agent servers. */
import type { Artifact } from '../artifacts/artifact.ts'
import type { Secret } from '../revision.ts'
import type { SourceConfig, SourceRevisionConfig } from '../sources/config.ts'
import type { Source } from '../sources/table.ts'

export interface BuildRequest {
  revision_id: string
  deployment_id: string
  /** Absent if the build does not depend on it. */
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
 * A failed build, described for a revision's `status_message`: which step (`fetch`, `unpack`, `configuration`,
 * `install`, `build`), why, and the last lines of its log.
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
 * Aborts a build that another control plane continues, because this one ends or no longer leads. Work elsewhere goes
 * on.
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
   * Fetches, checks, installs and builds, from a clean folder each time: first removes the rest of an earlier attempt.
   * Throws `BuildError`; rejects with the signal's reason when aborted, after all processes of the build have ended,
   * except those that `HandedOver` leaves to another control plane.
   */
  build(request: BuildRequest, signal: AbortSignal): Promise<BuiltRevision>
  /** The result of a successful build; `undefined` if this machine has none. */
  find(revision_id: string): Promise<BuiltRevision | undefined>
  /** The revisions with more than a log on this machine. */
  list(): Promise<string[]>
  /** Removes the build and keeps the log: the revision can be built again. */
  prune(revision_id: string): Promise<void>
  /** Removes the revision's folder. */
  remove(revision_id: string): Promise<void>
  /** Removes what is kept between a deployment's builds. */
  removeKept(deployment_id: string): Promise<void>
}

/** The uploaded tarballs. */
export interface Tarballs {
  /**
   * Stores the body under the object path and returns its size. Throws `too_large` beyond `MAX_TARBALL_BYTES` and
   * `bad_request` if it is no gzip file, and then keeps nothing.
   */
  receive(object_path: string, body: AsyncIterable<Uint8Array>): Promise<number>
  /**
   * Calls `work` with a file of this machine that holds the tarball until `work` ends. `false`: it never arrived, or
   * was removed.
   */
  use(object_path: string, work: (path: string) => Promise<void>): Promise<boolean>
  /** No error if there is none. */
  remove(object_path: string): Promise<void>
  /** Removes all of a deployment. */
  removeAll(deployment_id: string): Promise<void>
}
