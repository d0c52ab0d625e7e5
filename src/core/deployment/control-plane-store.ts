/** The control plane's database as one port. */
import type { FiguresStore } from '../figures/sample.ts'
import type { AgentConnectionStore } from '../oauth/connection.ts'
import type { OAuthConsentStore } from '../oauth/consent.ts'
import type { OAuthProviderStore } from '../oauth/provider.ts'
import type { OAuthRevocationStore } from '../oauth/revocation.ts'
import type { OAuthTokenStore } from '../oauth/token.ts'
import type { OAuthTokenEventStore } from '../oauth/token-event.ts'
import type { ApiKeyStore } from '../people/api-key.ts'
import type { AuditLogStore } from '../people/audit.ts'
import type { SessionStore } from '../people/session.ts'
import type { WorkspaceStore } from '../people/workspace.ts'
import type { DeploymentStore, RevisionStore } from './deployment.ts'
import type { DomainStore } from './domain.ts'
import type { LeadershipStore, Term } from './leadership.ts'
import type { ListenerStore } from './listener.ts'
import type { UploadStore } from './upload.ts'

export interface ControlPlaneStore {
  deployments: DeploymentStore
  revisions: RevisionStore
  domains: DomainStore
  apiKeys: ApiKeyStore
  oauth: OAuthStore
  uploads: UploadStore
  listeners: ListenerStore
  sessions: SessionStore
  workspaces: WorkspaceStore
  auditLog: AuditLogStore
  figures: FiguresStore
  leadership: LeadershipStore
  /**
   * Signs URLs and derives the secrets of webhooks. It has at least 32 bytes, is made with the database,
   * and stays the same when the encryption key changes.
   */
  readonly signingKey: Uint8Array
  /**
   * Commits all of it or nothing. Only writes through the store that `work` gets take part. Transactions
   * may not be nested.
   */
  transaction<T>(work: (store: ControlPlaneStore) => Promise<T>): Promise<T>
  /**
   * Re-encrypts with the present key what an older key encrypted; returns the number of texts. Not within a
   * transaction.
   */
  reseal(): Promise<number>
  /**
   * The same store for the leader of this term. It refuses writes (`unavailable`) once another control plane leads, and
   * while the term is not sure. Closing it closes this store.
   */
  under(term: Term): ControlPlaneStore
  ping(): Promise<void>
  /** Settles when the database has taken a write within the last second. Throws `unavailable`. */
  checkWrites(): Promise<void>
  close(): Promise<void>
}

/** The part of the OAuth token vault. */
export interface OAuthStore {
  providers: OAuthProviderStore
  tokens: OAuthTokenStore
  consents: OAuthConsentStore
  connections: AgentConnectionStore
  events: OAuthTokenEventStore
  revocations: OAuthRevocationStore
}
