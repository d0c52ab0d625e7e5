/**
 * A revision: one version of a deployment's source, configuration and secrets.
 *
 * ```
 * CREATING ─▶ QUEUED ─▶ AWAITING_BUILD ─▶ BUILDING ─▶ AWAITING_DEPLOY ─▶ DEPLOYING ─▶ DEPLOYED
 *    │          │                            │                              │
 *    ▼          ▼                            ▼                              ▼
 * CREATE_     SKIPPED                    BUILD_FAILED                  DEPLOY_FAILED
 * FAILED      (superseded while queued)
 * ```
 * INTERRUPTED can follow every state that is not an end. One revision of a deployment at a time is
 * past QUEUED and not at an end. DEPLOYED is never rewritten when a newer revision takes over; it
 * becomes DEPLOY_FAILED when its agent server dies within the first minute.
 */

import type { ParkedThreads } from '../agent/parked-threads.ts'
import type { JsonObject } from '../json.ts'
import type { SourceRevisionConfig } from './sources/config.ts'
import type { Source } from './sources/table.ts'

export const REVISION_STATUSES = [
  'CREATING',
  'QUEUED',
  'AWAITING_BUILD',
  'BUILDING',
  'AWAITING_DEPLOY',
  'DEPLOYING',
  'CREATE_FAILED',
  'BUILD_FAILED',
  'DEPLOY_FAILED',
  'DEPLOYED',
  'SKIPPED',
  'INTERRUPTED',
  'UNKNOWN',
] as const

export type RevisionStatus = (typeof REVISION_STATUSES)[number]

/** Every step that a revision's status may take; storage refuses any other. */
export const REVISION_TRANSITIONS: Readonly<Record<RevisionStatus, readonly RevisionStatus[]>> = {
  CREATING: ['QUEUED', 'CREATE_FAILED', 'INTERRUPTED'],
  QUEUED: ['AWAITING_BUILD', 'SKIPPED', 'CREATE_FAILED', 'INTERRUPTED'],
  AWAITING_BUILD: ['BUILDING', 'BUILD_FAILED', 'INTERRUPTED'],
  BUILDING: ['AWAITING_DEPLOY', 'BUILD_FAILED', 'INTERRUPTED'],
  AWAITING_DEPLOY: ['DEPLOYING', 'DEPLOY_FAILED', 'INTERRUPTED'],
  DEPLOYING: ['DEPLOYED', 'DEPLOY_FAILED', 'INTERRUPTED'],
  DEPLOYED: ['DEPLOY_FAILED'],
  CREATE_FAILED: [],
  BUILD_FAILED: [],
  DEPLOY_FAILED: [],
  SKIPPED: [],
  INTERRUPTED: [],
  UNKNOWN: [],
}

/** Whether its rollout has ended. */
export function isRevisionOver(status: RevisionStatus): boolean {
  return status === 'DEPLOYED' || REVISION_TRANSITIONS[status].length === 0
}

/** The statuses of a revision on its way. */
export const UNFINISHED_STATUSES = REVISION_STATUSES.filter((status) => !isRevisionOver(status))

/** `{name, value}` becomes an environment variable of the agent server. */
export interface Secret {
  name: string
  value: string
}

/** The action that made a revision. `take_back`: Runyard did it, after a revision that died at once. */
export const REVISION_REASONS = [
  'create',
  'change',
  'push',
  'redeploy',
  'rollback',
  'agent_key',
  'take_back',
] as const
export type RevisionReason = (typeof REVISION_REASONS)[number]

/** Where a revision comes from. */
interface RevisionOrigin {
  /** The user who requested it, by the name of that time. `null`: no user, or unknown. */
  made_by: string | null
  /** `null`: an older version made the revision. */
  made_for: RevisionReason | null
  /** The number of the revision that it repeats. */
  repeats: number | null
  /** What it is about, as sent with the request. */
  message: string | null
  /** Of the commit that it is built from: its author's name, and the first line of its message. */
  commit_author: string | null
  commit_subject: string | null
}

/** A status that a revision reached, and when. */
export interface RevisionStep {
  status: RevisionStatus
  began_at: string
}

/** A revision as stored. Its secrets are plain here and encrypted in the database. */
export interface Revision extends RevisionOrigin {
  id: string
  deployment_id: string
  /** 1, 2, 3, … within the deployment. */
  number: number
  created_at: string
  updated_at: string
  status: RevisionStatus
  /** Why it failed: the step, the cause, the last log lines. */
  status_message: string | null
  source: Source
  source_revision_config: SourceRevisionConfig
  /** `repo_url`, `install_command`, `build_command`, `resource_spec`, … as of this revision. */
  source_config: JsonObject
  secrets: Secret[]
  /**
   * For a revision that repeats an earlier one: the revision whose build it uses while that exists, or its own id once
   * it had to be built. `null`: it repeats none.
   */
  built_from: string | null
  /** When it became DEPLOYED. */
  deployed_at: string | null
  /** The parked threads that it cannot continue, as found before its first request. */
  parked_threads: ParkedThreads | null
  /** The statuses that it reached, in order. Empty: an older version made it. */
  steps: RevisionStep[]
}

/** A revision without what storage adds. */
export type NewRevision = Omit<Revision, 'number' | 'steps'>
