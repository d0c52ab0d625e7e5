/** A deployment: the name under which an agent is reached, and its revisions. */

import type { ParkedThreads } from '../agent/parked-threads.ts'
import type { JsonObject } from '../json.ts'
import type { NewRevision, Revision, RevisionStatus, Secret } from './revision.ts'
import type { Resolved } from './sources/config.ts'
import type { Commit } from './sources/snapshot.ts'
import type { Source } from './sources/table.ts'

export const DEPLOYMENT_STATUSES = [
  'AWAITING_DATABASE',
  'READY',
  'UNUSED',
  'AWAITING_DELETE',
  'UNKNOWN',
] as const
export type DeploymentStatus = (typeof DEPLOYMENT_STATUSES)[number]

/**
 * Lower-case letters, digits, `-` and `_`, 1 to 63 characters, beginning and ending with a letter or a
 * digit. Unique in the installation.
 */
export const DEPLOYMENT_NAME = /^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$/

/** The type of a deployment that was created without one. */
const DEFAULT_DEPLOYMENT_TYPE = 'prod'

/** The types that LangGraph Platform calls free. */
export const FREE_DEPLOYMENT_TYPES = ['dev_free', 'dev_free_zero']

/** The deployment's type, as in its `source_config` and in the API's responses. It may be any word. */
export function deploymentTypeOf(source_config: JsonObject): string {
  const { deployment_type } = source_config
  return typeof deployment_type === 'string' ? deployment_type : DEFAULT_DEPLOYMENT_TYPE
}

/** Selects among a workspace's deployments. An absent or empty field filters nothing. */
export interface DeploymentFilter {
  tenant_id: string
  name?: string
  /** Plain text that the name contains. */
  name_contains?: string
  ids?: string[]
  statuses?: DeploymentStatus[]
  deployment_types?: string[]
}

/** A deployment as stored. Its secrets are plain here and encrypted in the database. */
export interface Deployment {
  id: string
  tenant_id: string
  name: string
  display_name: string | null
  source: Source
  /** The configuration as sent. Every field of `SourceConfig` is present; `null` where none was given. */
  source_config: JsonObject
  secrets: Secret[]
  status: DeploymentStatus
  created_at: string
  updated_at: string
  /** The secret of the push webhook is derived from it. `null`: there is no push webhook. */
  push_nonce: string | null
  /** Part of its agents' key: a new nonce revokes the key. `null`: it was never changed. */
  agent_key_nonce: string | null
  /** The newest revision. */
  latest_revision_id: string | null
  /** The revision that serves. */
  active_revision_id: string | null
  /** When it fell asleep for lack of requests. `null`: it is awake. */
  asleep_since: string | null
  /** When it must wake up without a request. `null`: only a request wakes it. */
  wake_at: string | null
  /**
   * Whether the project's own auth decides who may call it, as reported by the last agent server that went to sleep.
   * `null`: it has never slept.
   */
  has_own_auth: boolean | null
  /** Whether calls need no key. The project's own auth, if any, still decides. */
  is_public: boolean
}

export type DeploymentPatch = Partial<
  Pick<
    Deployment,
    | 'display_name'
    | 'source_config'
    | 'secrets'
    | 'status'
    | 'active_revision_id'
    | 'push_nonce'
    | 'agent_key_nonce'
    | 'asleep_since'
    | 'wake_at'
    | 'has_own_auth'
    | 'is_public'
  >
> & {
  updated_at: string
  /** Whether the serving project sees the API keys of its callers. Only an inspection reads it. */
  forwards_api_key?: boolean
}

export interface DeploymentStore {
  /** How many deployments have each status, in all workspaces. */
  countByStatus(): Promise<Record<string, number>>
  /** Adds the deployment. `false`: the name is taken, and nothing was written. */
  insert(deployment: Deployment): Promise<boolean>
  get(id: string): Promise<Deployment | undefined>
  /** The deployments of all workspaces, the oldest first. */
  listAll(): Promise<Deployment[]>
  /** Only their ids, for each pass of the reconciler. */
  listIds(): Promise<string[]>
  /**
   * The deployments of one workspace. The one with exactly the name `name_contains` comes first, then the
   * newest.
   */
  list(query: DeploymentFilter & { limit: number; offset: number }): Promise<Deployment[]>
  count(filter: DeploymentFilter): Promise<number>
  update(id: string, patch: DeploymentPatch): Promise<void>
  /** Removes the deployment with its revisions and the records of its uploads. */
  delete(id: string): Promise<void>
}

export interface RevisionStore {
  /** How many revisions have each status, in all workspaces. */
  countByStatus(): Promise<Record<string, number>>
  /** Adds the deployment's next revision, numbers it, and makes it the deployment's latest. */
  insert(revision: NewRevision): Promise<Revision>
  get(deployment_id: string, id: string): Promise<Revision | undefined>
  /** Those of these revisions that exist, in no order, of any deployment. */
  glances(ids: readonly string[]): Promise<Pick<Revision, 'id' | 'number' | 'status'>[]>
  /** Newest first. */
  list(
    deployment_id: string,
    page: {
      limit: number
      offset: number
      statuses?: readonly RevisionStatus[]
      /** Includes this revision, whatever its status. */
      also?: string | null
    },
  ): Promise<Revision[]>
  /**
   * The revision to compare this number with: the last one before it that began to serve, else the last one before it.
   */
  before(deployment_id: string, number: number): Promise<Revision | undefined>
  /**
   * Moves the revision to its next status. `false`: its status is not `from` any more, and nothing was
   * written. Throws when the step is not in the table.
   */
  move(
    id: string,
    step: {
      from: RevisionStatus
      to: RevisionStatus
      status_message?: string
      deployed_at?: string
      updated_at: string
    },
  ): Promise<boolean>
  setParkedThreads(id: string, parked_threads: ParkedThreads): Promise<void>
  /** Stores which revision's build it uses: its own id if it had to be built. */
  setBuiltFrom(id: string, built_from: string): Promise<void>
  /** Stores the author and the subject of the commit that the revision is built from. */
  setCommit(id: string, commit: Pick<Commit, 'author' | 'subject'>): Promise<void>
  /** Stores what the revision's source was resolved to: the commit, or the image's digest. */
  setResolved(id: string, resolved: Partial<Resolved>): Promise<void>
}

/** All revisions of a deployment, the newest first, read page by page. */
export async function allRevisions(
  { revisions }: { revisions: RevisionStore },
  deployment_id: string,
): Promise<Revision[]> {
  const limit = 100
  const all: Revision[] = []
  for (;;) {
    const page = await revisions.list(deployment_id, { limit, offset: all.length })
    all.push(...page)
    if (page.length < limit) return all
  }
}
