/** The OAuth token vault's tables, put together. */
import type { OAuthStore } from '../../../core/oauth/oauth-store.ts'
import type { SecretBox } from '../../../core/secret-box.ts'
import type { Db } from '../../db/db.ts'
import { createAgentConnectionStore } from './connections.ts'
import { createOAuthConsentStore } from './consents.ts'
import { createOAuthProviderStore } from './providers.ts'
import { createOAuthRevocationStore } from './revocations.ts'
import { createOAuthTokenEventStore } from './token-events.ts'
import { createOAuthTokenStore } from './tokens.ts'

/** On `db`, which may be a transaction. */
export function createOAuthStore(db: Db, box: SecretBox): OAuthStore {
  return {
    providers: createOAuthProviderStore(db, box),
    tokens: createOAuthTokenStore(db, box),
    consents: createOAuthConsentStore(db, box),
    connections: createAgentConnectionStore(db),
    events: createOAuthTokenEventStore(db),
    revocations: createOAuthRevocationStore(db, box),
  }
}
