/** The control plane's database as one port. */
import type { ApiKeyStore } from '../people/api-key.ts'
import type { AuditLogStore } from '../people/audit.ts'
import type { OAuthTokenStore } from '../people/oauth-token.ts'
import type { WorkspaceStore } from '../people/workspace.ts'
import type { DeploymentStore, RevisionStore } from './deployment.ts'
import type { LeadershipStore, Term } from './leadership.ts'
import type { ListenerStore } from './listener.ts'
import type { UploadStore } from './upload.ts'

export interface ControlPlaneStore {
  deployments: DeploymentStore
  revisions: RevisionStore
  apiKeys: ApiKeyStore
  oauthTokens: OAuthTokenStore
  uploads: UploadStore
  listeners: ListenerStore
  workspaces: WorkspaceStore
  auditLog: AuditLogStore
  leadership: LeadershipStore
  /**
   * Signs URLs and secrets of webhooks: made with the database, at least 32 bytes, and the same when
   * the encryption key changes.
   */
  readonly signingKey: Uint8Array
  /** All or nothing; only the store handed to `work` takes part. May not be nested. */
  transaction<T>(work: (store: ControlPlaneStore) => Promise<T>): Promise<T>
  /**
   * Seals anew what was sealed with an older encryption key than the present one; answers how many
   * texts. Not within a transaction.
   */
  reseal(): Promise<number>
  /**
   * The same store for who leads in this term: what it writes is refused (`unavailable`) once another
   * leads, and all of it while the term is not sure. Closing it closes this one.
   */
  under(term: Term): ControlPlaneStore
  ping(): Promise<void>
  /** Answers when the database has taken a write within the last second; throws `unavailable`. */
  checkWrites(): Promise<void>
  close(): Promise<void>
}
