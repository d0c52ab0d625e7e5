/** A source's configuration on the wire: one type for all kinds; each kind names the members it accepts. */
import type { PARKED_THREADS_RULES } from '../../agent/parked-threads.ts'
import type { StandingWebhook } from '../../agent/webhook.ts'
import type { JsonObject } from '../../json.ts'

/**
 * The part for all revisions of a deployment. Absent on a given source: `null`. It is stored as a JSON object, which an
 * interface could not be.
 */
export type SourceConfig = {
  integration_id: string | null
  /** May contain a name and a password. */
  repo_url: string | null
  deployment_type: string | null
  /** Whether a push to the branch makes a revision. */
  build_on_push: boolean | null
  /** Never stored: responses show the deployment's address here. */
  custom_url: string | null
  resource_spec: JsonObject | null
  listener_id: string | null
  listener_config: JsonObject | null
  install_command: string | null
  build_command: string | null
  parked_threads: (typeof PARKED_THREADS_RULES)[number] | null
  /** Get the ends of all its runs. `null`: none. */
  webhooks: StandingWebhook[] | null
}

/** What one revision is made from. Absent on a given source: `null`. */
export interface SourceRevisionConfig {
  /** A branch, a full tag ref (`refs/tags/v1`) or a commit. */
  repo_ref: string | null
  /** The path of `langgraph.json` from the source's root. */
  langgraph_config_path: string | null
  /** As it was sent, with a tag or a digest. */
  image_uri: string | null
  /** The `object_path` of an upload. */
  source_tarball_path: string | null
  /** The commit that was built, once it is known. */
  repo_commit_sha: string | null
  /** The digest of the image's tag when the revision was built, once known: `sha256:…`. */
  image_digest: string | null
}

/** What a build resolves: the commit, or the image's digest. */
export type Resolved = Pick<SourceRevisionConfig, 'repo_commit_sha' | 'image_digest'>

export const EMPTY_SOURCE_CONFIG: Readonly<SourceConfig> = {
  integration_id: null,
  repo_url: null,
  deployment_type: null,
  build_on_push: null,
  custom_url: null,
  resource_spec: null,
  listener_id: null,
  listener_config: null,
  install_command: null,
  build_command: null,
  parked_threads: null,
  webhooks: null,
}

export const EMPTY_REVISION_CONFIG: Readonly<SourceRevisionConfig> = {
  repo_ref: null,
  langgraph_config_path: null,
  image_uri: null,
  source_tarball_path: null,
  repo_commit_sha: null,
  image_digest: null,
}

/** The config of a deployment or a revision, stored as JSON with every member present. */
export function sourceConfigOf({ source_config }: { source_config: JsonObject }): SourceConfig {
  return source_config as unknown as SourceConfig
}
