/** The audit log: who did what, written once and never changed. */

import type { JsonObject } from '../json.ts'
import type { Principal } from './api-key.ts'

/** The actions, named after the noun that they change. */
export const AUDIT_ACTIONS = [
  'api_key.create',
  'api_key.revoke',
  'audit_log.export',
  'deployment.create',
  'deployment.update',
  'deployment.delete',
  'agent_key.rotate',
  'domain.create',
  'domain.update',
  'domain.delete',
  'encryption_key.rotate',
  'listener.create',
  'listener.update',
  'listener.delete',
  'oauth_connection.create',
  'oauth_connection.delete',
  'oauth_consent.begin',
  'oauth_consent.complete',
  'oauth_provider.create',
  'oauth_provider.update',
  'oauth_provider.delete',
  'oauth_token.read',
  'oauth_token.update',
  'oauth_token.delete',
  'push_token.create',
  'push_webhook.create',
  'push_webhook.delete',
  'revision.create',
  'revision.redeploy',
  'revision.interrupt',
  'revision.rollback',
  'session.create',
  'session.end',
  'sign_in_link.create',
  'upload.create',
  'workspace.create',
  'workspace.update',
  'workspace.delete',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

export interface AuditEntry {
  id: string
  created_at: string
  /** The workspace of the target: its log has the entry. */
  workspace_id: string
  actor_kind: Principal['kind']
  /** `Principal.user_id`. */
  actor_id: string
  actor_name: string
  action: AuditAction
  target_id: string
  /** The name of the target at that time, if it has one. */
  target_name: string | null
  /** Further facts about the action; never the value of a secret. */
  detail: JsonObject
}

/** Selects among a workspace's entries. An absent field filters nothing. */
export interface AuditFilter {
  workspace_id: string
  actor_id?: string | undefined
  /** An action, or its noun. */
  action?: string | undefined
  target_id?: string | undefined
  /** Entries from this moment on. */
  since?: string | undefined
  /** Entries before this moment. */
  until?: string | undefined
  /** Text in the action, a name or an id. Upper and lower case of ASCII letters are the same. */
  text?: string | undefined
}

/** Entries can only be added and read. The databases themselves refuse everything else. */
export interface AuditLogStore {
  append(entry: AuditEntry): Promise<void>
  /**
   * The entries, the newest first. `before`: the `next` of the previous page. `next` is `undefined` at
   * the end.
   */
  list(
    filter: AuditFilter,
    page: { limit: number; before?: number | undefined },
  ): Promise<{ entries: AuditEntry[]; next: number | undefined }>
}
