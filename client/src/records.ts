/** What the control plane answers, as far as the client reads it. */

/** Where a revision stands; see the control plane's documentation for the whole machine. */
export type RevisionStatus =
  | 'CREATING'
  | 'QUEUED'
  | 'AWAITING_BUILD'
  | 'BUILDING'
  | 'AWAITING_DEPLOY'
  | 'DEPLOYING'
  | 'CREATE_FAILED'
  | 'BUILD_FAILED'
  | 'DEPLOY_FAILED'
  | 'DEPLOYED'
  | 'SKIPPED'
  | 'INTERRUPTED'
  | 'UNKNOWN'

const ENDS: ReadonlySet<RevisionStatus> = new Set([
  'CREATE_FAILED',
  'BUILD_FAILED',
  'DEPLOY_FAILED',
  'DEPLOYED',
  'SKIPPED',
  'INTERRUPTED',
])

/** Whether the revision has stopped moving. */
export function isOver(status: RevisionStatus): boolean {
  return ENDS.has(status)
}

export interface Secret {
  name: string
  value: string
}

export interface Deployment {
  id: string
  name: string
  source: string
  source_config: { custom_url: string | null; [key: string]: unknown }
  status: string
  created_at: string
  updated_at: string
  latest_revision_id: string | null
  active_revision_id: string | null
}

export interface Revision {
  id: string
  created_at: string
  status: RevisionStatus
  status_message?: string | null
}

export interface Upload {
  upload_url: string
  object_path: string
}

export interface LogEntry {
  /** Also the place to go on from. */
  id: string
  timestamp: string
  level: string
  message: string
}

export interface LogsPage {
  logs: LogEntry[]
  /** Where the next page begins; `null` when there is nothing more at present. */
  next_offset: string | null
}

export type Role = 'admin' | 'developer' | 'viewer' | 'agent'

export interface ApiKey {
  id: string
  name: string
  workspace_id: string
  role: Role
  /** How the key begins. */
  hint: string | null
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
}

/** With the key itself, which is answered this once. */
export interface NewApiKey extends ApiKey {
  key: string
}
