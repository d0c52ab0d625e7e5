/** What Runyard knows of one kind of source, beside how a build fetches it. */
import type { ArtifactKind } from '../artifacts/artifact.ts'
import type { SourceConfig, SourceRevisionConfig } from './config.ts'

/** Whether a deployment, or a revision, of a kind must have a member that it takes. */
export type Need = 'required' | 'optional'

type Needs<Config> = { readonly [Member in keyof Config]?: Need }

export interface SourceKind {
  /** What its revisions become. */
  artifact: ArtifactKind
  /**
   * The members of `source_config` that it takes. One that any kind names is refused to all that do
   * not; one that no kind names belongs to every deployment.
   */
  source_config: Needs<SourceConfig>
  /** The same of `source_revision_config`. */
  source_revision_config: Needs<SourceRevisionConfig>
  /** What stands in a revision's configuration where nothing was ever sent. */
  defaults?: Partial<SourceRevisionConfig>
  /** Changes of these members of `source_config` make a revision, as any of a revision's own do. */
  makesRevision: readonly (keyof SourceConfig)[]
  /**
   * The member of `source_revision_config` that names an upload, which has to have arrived: a
   * deployment then begins without a revision. Absent: it begins with one.
   */
  upload?: 'source_tarball_path' | 'image_uri'
  /** Whether it comes from a repository, whose pushes can make revisions. */
  hasRepository: boolean
  /** Whether one revision of a deployment of another kind may be of this one. */
  isForOneRevision: boolean
  /**
   * Throws `bad_request` for what it does not take, `forbidden` for what it takes of an admin alone.
   * It is not called where a member that it requires is missing.
   */
  checkConfig?(config: SourceConfig, by: { isAdmin: boolean }): void
  /** Throws `bad_request`. As `checkConfig`. */
  checkRevision?(config: SourceRevisionConfig): void
  /** Throws `bad_request` where the two do not fit together. */
  checkTogether?(config: SourceRevisionConfig, deployment: SourceConfig): void
}
