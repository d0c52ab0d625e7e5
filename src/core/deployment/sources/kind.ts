/** The rules of one kind of source, except how a build fetches it. */
import type { ArtifactKind } from '../artifacts/artifact.ts'
import type { SourceConfig, SourceRevisionConfig } from './config.ts'

/** Whether a deployment, or a revision, of a kind must have a member that it takes. */
export type Need = 'required' | 'optional'

type Needs<Config> = { readonly [Member in keyof Config]?: Need }

export interface SourceKind {
  /** What its revisions become. */
  artifact: ArtifactKind
  /**
   * The members of `source_config` that it accepts. A member that any kind names is refused for the others; one that no
   * kind names belongs to every deployment.
   */
  source_config: Needs<SourceConfig>
  /** The same of `source_revision_config`. */
  source_revision_config: Needs<SourceRevisionConfig>
  /** Defaults of a revision's configuration. */
  defaults?: Partial<SourceRevisionConfig>
  /** Changes of these members of `source_config` make a revision, like those of a revision's own. */
  makesRevision: readonly (keyof SourceConfig)[]
  /**
   * The member of `source_revision_config` that names an upload. A deployment then begins without a revision, until the
   * upload arrives. Absent: it begins with one.
   */
  upload?: 'source_tarball_path' | 'image_uri'
  /** Whether it comes from a repository, whose pushes can make revisions. */
  hasRepository: boolean
  /** Whether one revision of a deployment of another kind may be of this one. */
  isForOneRevision: boolean
  /**
   * Throws `bad_request` for values that it refuses, `forbidden` for those that only an admin may send. Not called if a
   * required member is missing.
   */
  checkConfig?(config: SourceConfig, by: { isAdmin: boolean }): void
  /** Throws `bad_request`. As `checkConfig`. */
  checkRevision?(config: SourceRevisionConfig): void
  /** Throws `bad_request` if the two do not fit together. */
  checkTogether?(config: SourceRevisionConfig, deployment: SourceConfig): void
}
