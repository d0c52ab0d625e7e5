/** The `oauth_revocations` table. */
import type { OAuthRevocation, OAuthRevocationStore } from '../../../core/oauth/revocation.ts'
import type { SecretBox } from '../../../core/secret-box.ts'
import type { Db } from '../../db/db.ts'
import { table } from '../../db/table.ts'
import { PLACES } from '../sealed-columns.ts'

/** The provider and the grant are sealed together. */
type StoredRevocation = Omit<OAuthRevocation, 'provider' | 'grant'> & {
  provider_id: string
  secrets: Pick<OAuthRevocation, 'provider' | 'grant'>
}

const REVOCATIONS = table<StoredRevocation>(
  'oauth_revocations',
  'id, workspace_id, user_id, end_user_id, provider_id, secrets, attempts, next_at, created_at',
  {
    json: ['secrets'],
    numbers: ['attempts', 'next_at'],
    sealed: { secrets: PLACES.revocation },
  },
)

const LIST_DUE = `
SELECT ${REVOCATIONS.columns} FROM oauth_revocations
WHERE next_at <= $1 ORDER BY next_at, id LIMIT $2`

/** On `db`, which may be a transaction. */
export function createOAuthRevocationStore(db: Db, box: SecretBox): OAuthRevocationStore {
  const revocations = REVOCATIONS.on(db, box)
  return {
    insert: async ({ provider, grant, ...rest }) => {
      const { provider_id } = provider
      const stored = { ...rest, provider_id, secrets: { provider, grant } }
      await revocations.add(stored, 'ON CONFLICT (id) DO NOTHING')
    },
    listDue: async (now, limit) => {
      const due = await revocations.all(LIST_DUE, [now, limit])
      return due.map(({ secrets, provider_id: _, ...rest }) => ({ ...rest, ...secrets }))
    },
    postpone: (id, { attempts, next_at }) => revocations.update(id, { attempts, next_at }),
    delete: (id) => db.runAhead('DELETE FROM oauth_revocations WHERE id = $1', [id]),
  }
}
