/** The `oauth_providers` table. Client secrets are sealed. */
import type { OAuthProvider, OAuthProviderStore } from '../../../core/oauth/provider.ts'
import type { SecretBox } from '../../../core/secret-box.ts'
import type { Db, SqlValue } from '../../db/db.ts'
import { decodeRow } from '../../db/json-columns.ts'
import { PLACES } from '../sealed-columns.ts'
import { placeholders, toSql, withTruths } from './columns.ts'

const COLUMNS = [
  'id',
  'workspace_id',
  'provider_id',
  'name',
  'client_id',
  'client_secret',
  'auth_url',
  'token_url',
  'revocation_url',
  'issuer',
  'is_issuer_sent',
  'uses_pkce',
  'code_challenge_method',
  'provider_type',
  'token_endpoint_auth_method',
  'mcp_server_url',
  'is_dynamic_client',
  'authorization_params',
  'allowed_redirect_uris',
  'default_redirect_uri',
  'created_at',
  'updated_at',
] as const satisfies (keyof OAuthProvider)[]

const JSON_COLUMNS = ['authorization_params', 'allowed_redirect_uris'] as const
const TRUTHS = ['is_issuer_sent', 'uses_pkce', 'is_dynamic_client'] as const

const SELECT = `SELECT ${COLUMNS.join(', ')} FROM oauth_providers`
const GET = `${SELECT} WHERE workspace_id = $1 AND provider_id = $2`
const FIND = `${SELECT} WHERE id = $1`
const LIST = `${SELECT} WHERE workspace_id = $1 ORDER BY provider_id`

const INSERT = `
INSERT INTO oauth_providers (${COLUMNS.join(', ')}) VALUES (${placeholders(COLUMNS)})
ON CONFLICT (workspace_id, provider_id) DO NOTHING`

const CHANGEABLE = COLUMNS.filter(
  (column) => !['id', 'workspace_id', 'provider_id', 'created_at'].includes(column),
)
const UPDATE = `
UPDATE oauth_providers
SET ${CHANGEABLE.map((column, index) => `${column} = $${index + 2}`).join(', ')}
WHERE id = $1`

/** On `db`, which may be a transaction. */
export function createOAuthProviderStore(db: Db, box: SecretBox): OAuthProviderStore {
  const read = (row: object | undefined) => row && toProvider(row, box)
  return {
    insert: async (provider) => {
      const params = paramsOf(provider, COLUMNS, box)
      return (await db.run(INSERT, params)) === 1
    },
    get: async (workspace_id, provider_id) =>
      read(await db.get<object>(GET, [workspace_id, provider_id])),
    find: async (id) => read(await db.get<object>(FIND, [id])),
    list: async (workspace_id) =>
      (await db.all<object>(LIST, [workspace_id])).map((row) => toProvider(row, box)),
    update: (id, patch) =>
      db.transaction(async (tx) => {
        const present = read(await tx.get<object>(FIND, [id]))
        if (!present) return
        await tx.run(UPDATE, [id, ...paramsOf({ ...present, ...patch }, CHANGEABLE, box)])
      }),
    delete: (id) =>
      db.transaction(async (tx) => {
        await tx.run('DELETE FROM oauth_consents WHERE provider_key = $1', [id])
        await tx.run('DELETE FROM oauth_providers WHERE id = $1', [id])
      }),
  }
}

function paramsOf(
  provider: OAuthProvider,
  columns: readonly (keyof OAuthProvider)[],
  box: SecretBox,
): SqlValue[] {
  const { id, client_secret: secret } = provider
  const sealed = secret === null ? null : box.seal(secret, PLACES.clientSecret(id))
  return columns.map((column) => (column === 'client_secret' ? sealed : toSql(provider[column])))
}

function toProvider(row: object, box: SecretBox): OAuthProvider {
  const provider = withTruths(decodeRow<OAuthProvider>(row, JSON_COLUMNS), TRUTHS)
  const { id, client_secret: sealed } = provider
  const client_secret = sealed === null ? null : box.open(sealed, PLACES.clientSecret(id))
  return { ...provider, client_secret }
}
