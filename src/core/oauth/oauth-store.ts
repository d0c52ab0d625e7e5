/** The OAuth token vault's part of the control plane's database. */
import type { AgentConnectionStore } from './connection.ts'
import type { OAuthConsentStore } from './consent.ts'
import type { OAuthProviderStore } from './provider.ts'
import type { OAuthRevocationStore } from './revocation.ts'
import type { OAuthTokenStore } from './token.ts'
import type { OAuthTokenEventStore } from './token-event.ts'

export interface OAuthStore {
  providers: OAuthProviderStore
  tokens: OAuthTokenStore
  consents: OAuthConsentStore
  connections: AgentConnectionStore
  events: OAuthTokenEventStore
  revocations: OAuthRevocationStore
}
