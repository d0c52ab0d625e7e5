/** A deployment: a name that an agent is reached by, and the revisions behind it. */

import type { ParkedThreads } from '../agent/parked-threads.ts'
import type { JsonObject } from '../json.ts'
import type { Revision, RevisionStatus, Secret } from './revision.ts'
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
 * Lower-case letters, digits, `-` and `_`, 1 to 63 characters, beginning and ending with a letter
 * or a digit (facts, section 9). Unique in the installation.
 */
export const DEPLOYMENT_NAME = /^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$/

/** The type of a deployment that was created without one. */
const DEFAULT_DEPLOYMENT_TYPE = 'prod'

/** Those that the original calls free. */
export const FREE_DEPLOYMENT_TYPES = ['dev_free', 'dev_free_zero']

/** What a deployment's `source_config` says, and answers say; any word. */
export function deploymentTypeOf(source_config: JsonObject): string {
  const { deployment_type } = source_config
  return typeof deployment_type === 'string' ? deployment_type : DEFAULT_DEPLOYMENT_TYPE
}

/** Which of a workspace's deployments; an absent or empty member filters nothing. */
export interface DeploymentFilter {
  tenant_id: string
  name?: string
  /** A plain part of the name. */
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
  /** As sent, every member of `SourceConfig` present, `null` where not given. */
  source_config: JsonObject
  secrets: Secret[]
  status: DeploymentStatus
  created_at: string
  updated_at: string
  /** What the push webhook's secret is derived with; `null`: there is none. */
  push_nonce: string | null
  /** The newest revision. */
  latest_revision_id: string | null
  /** The one that serves. */
  active_revision_id: string | null
  /** Since when nothing of it runs because nobody asked for it; `null`: it is awake. */
  asleep_since: string | null
  /** When it has to be awake again without being asked; `null`: when it is asked. */
  wake_at: string | null
  /**
   * Whether its project's own auth decides who may call it, as what went to sleep last has said.
   * `null`: it has never slept.
   */
  has_own_auth: boolean | null
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
    | 'asleep_since'
    | 'wake_at'
    | 'has_own_auth'
  >
> & { updated_at: string }

export interface DeploymentStore {
  /** How many there are with each status, in all workspaces. */
  countByStatus(): Promise<Record<string, number>>
  /** `false`: the name is taken, nothing was written. */
  insert(deployment: Deployment): Promise<boolean>
  get(id: string): Promise<Deployment | undefined>
  getByName(name: string): Promise<Deployment | undefined>
  /** Every deployment, whatever its workspace: for the reconciler. */
  listAll(): Promise<Deployment[]>
  /**
   * One workspace's deployments: the one whose whole name is `name_contains` first, then the newest
   * first.
   */
  list(query: DeploymentFilter & { limit: number; offset: number }): Promise<Deployment[]>
  count(filter: DeploymentFilter): Promise<number>
  update(id: string, patch: DeploymentPatch): Promise<void>
  /** Removes the deployment with its revisions and the records of its uploads. */
  delete(id: string): Promise<void>
}

export interface RevisionStore {
  /** How many there are with each status, in all workspaces. */
  countByStatus(): Promise<Record<string, number>>
  /** Adds the deployment's next revision, numbers it, and makes it the deployment's latest. */
  insert(revision: Omit<Revision, 'number'>): Promise<Revision>
  get(deployment_id: string, id: string): Promise<Revision | undefined>
  /** Newest first. */
  list(
    deployment_id: string,
    page: {
      limit: number
      offset: number
      statuses?: readonly RevisionStatus[]
      /** This one as well, whatever its status. */
      also?: string | null
    },
  ): Promise<Revision[]>
  /**
   * Moves the revision on. `false`: it is not at `from` any more, nothing was written. Throws when
   * the transition is not in the table.
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
  /** Notes whose build a revision takes: its own id when it was built after all. */
  setBuiltFrom(id: string, built_from: string): Promise<void>
  /** Notes the commit that a `github` revision was resolved to. */
  setCommit(id: string, repo_commit_sha: string): Promise<void>
}
