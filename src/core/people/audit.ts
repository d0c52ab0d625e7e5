/** The audit log: who did what, written once and never changed. */

import type { JsonObject } from '../json.ts'
import type { Principal } from './api-key.ts'

/** What can be done, by the noun that it is done to. */
export const AUDIT_ACTIONS = [
  'api_key.create',
  'api_key.revoke',
  'audit_log.export',
  'deployment.create',
  'deployment.update',
  'deployment.delete',
  'encryption_key.rotate',
  'listener.create',
  'listener.update',
  'listener.delete',
  'oauth_token.delete',
  'push_webhook.create',
  'push_webhook.delete',
  'revision.create',
  'revision.redeploy',
  'revision.interrupt',
  'revision.rollback',
  'upload.create',
  'workspace.create',
  'workspace.update',
  'workspace.delete',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

export interface AuditEntry {
  id: string
  created_at: string
  /** Whose log it is in: the workspace of the thing that it was done to. */
  workspace_id: string
  actor_kind: Principal['kind']
  /** `Principal.user_id`. */
  actor_id: string
  actor_name: string
  action: AuditAction
  target_id: string
  /** The target's name at the time, where it has one. */
  target_name: string | null
  /** What else tells what was done; never a secret's value. */
  detail: JsonObject
}

/** Which of a workspace's entries; an absent member filters nothing. */
export interface AuditFilter {
  workspace_id: string
  actor_id?: string | undefined
  /** An action, or its noun. */
  action?: string | undefined
  target_id?: string | undefined
  /** From this moment on. */
  since?: string | undefined
  /** Before this moment. */
  until?: string | undefined
  /** A part of the action or of a name or id, in any case of ASCII letters. */
  text?: string | undefined
}

/** Entries can be added and read. Databases refuse anything else themselves. */
export interface AuditLogStore {
  append(entry: AuditEntry): Promise<void>
  /**
   * Newest first. `before`: the `next` of the page before. `next`: `undefined` at the end.
   */
  list(
    filter: AuditFilter,
    page: { limit: number; before?: number | undefined },
  ): Promise<{ entries: AuditEntry[]; next: number | undefined }>
}
