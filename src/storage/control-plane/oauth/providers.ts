/** The `oauth_providers` table. Client secrets are sealed. */
import type { OAuthProvider, OAuthProviderStore } from '../../../core/oauth/provider.ts'
import type { SecretBox } from '../../../core/secret-box.ts'
import type { Db } from '../../db/db.ts'
import { table } from '../../db/table.ts'
import { PLACES } from '../sealed-columns.ts'

const PROVIDERS = table<OAuthProvider>(
  'oauth_providers',
  `id, workspace_id, provider_id, name, client_id, client_secret, auth_url, token_url,
  revocation_url, issuer, is_issuer_sent, uses_pkce, code_challenge_method, provider_type,
  token_endpoint_auth_method, mcp_server_url, is_dynamic_client, authorization_params,
  allowed_redirect_uris, default_redirect_uri, created_at, updated_at`,
  {
    json: ['authorization_params', 'allowed_redirect_uris'],
    booleans: ['is_issuer_sent', 'uses_pkce', 'is_dynamic_client'],
    sealed: { client_secret: PLACES.clientSecret },
    fixed: ['workspace_id', 'provider_id', 'created_at'],
  },
)

const SELECT = `SELECT ${PROVIDERS.columns} FROM oauth_providers`
const GET = `${SELECT} WHERE workspace_id = $1 AND provider_id = $2`
const FIND = `${SELECT} WHERE id = $1`
const LIST = `${SELECT} WHERE workspace_id = $1 ORDER BY provider_id`

/** On `db`, which may be a transaction. */
export function createOAuthProviderStore(db: Db, box: SecretBox): OAuthProviderStore {
  const providers = PROVIDERS.on(db, box)
  return {
    insert: (provider) =>
      providers.insert(provider, 'ON CONFLICT (workspace_id, provider_id) DO NOTHING'),
    get: (workspace_id, provider_id) => providers.get(GET, [workspace_id, provider_id]),
    find: (id) => providers.get(FIND, [id]),
    list: (workspace_id) => providers.all(LIST, [workspace_id]),
    update: (id, patch) => providers.update(id, patch),
    delete: (id) =>
      db.transaction(async (tx) => {
        await tx.run('DELETE FROM oauth_consents WHERE provider_key = $1', [id])
        await tx.run('DELETE FROM oauth_providers WHERE id = $1', [id])
      }),
  }
}
