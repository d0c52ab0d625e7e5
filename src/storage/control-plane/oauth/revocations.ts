/** The `oauth_revocations` table. */
import type { OAuthRevocation, OAuthRevocationStore } from '../../../core/oauth/revocation.ts'
import type { SecretBox } from '../../../core/secret-box.ts'
import type { Db } from '../../db/db.ts'
import { PLACES } from '../sealed-columns.ts'

const INSERT = `
INSERT INTO oauth_revocations
  (id, workspace_id, user_id, end_user_id, provider_id, secrets, attempts, next_at, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (id) DO NOTHING`

const LIST_DUE = `
SELECT id, workspace_id, user_id, end_user_id, secrets, attempts, next_at, created_at
FROM oauth_revocations WHERE next_at <= $1 ORDER BY next_at, id LIMIT $2`

const POSTPONE = 'UPDATE oauth_revocations SET attempts = $2, next_at = $3 WHERE id = $1'

interface Row extends Omit<OAuthRevocation, 'provider' | 'grant' | 'attempts' | 'next_at'> {
  secrets: string
  attempts: number | bigint
  next_at: number | bigint
}

/** On `db`, which may be a transaction. */
export function createOAuthRevocationStore(db: Db, box: SecretBox): OAuthRevocationStore {
  return {
    insert: async (one) => {
      const { id, provider, grant } = one
      const secrets = box.seal(JSON.stringify({ provider, grant }), PLACES.revocation(id))
      const owner = [one.workspace_id, one.user_id, one.end_user_id]
      const times = [one.attempts, one.next_at, one.created_at]
      await db.run(INSERT, [id, ...owner, provider.provider_id, secrets, ...times])
    },
    listDue: async (now, limit) =>
      (await db.all<Row>(LIST_DUE, [now, limit])).map(({ secrets, ...row }) => ({
        ...row,
        ...JSON.parse(box.open(secrets, PLACES.revocation(row.id))),
        attempts: Number(row.attempts),
        next_at: Number(row.next_at),
      })),
    postpone: async (id, { attempts, next_at }) => {
      await db.run(POSTPONE, [id, attempts, next_at])
    },
    delete: async (id) => {
      await db.run('DELETE FROM oauth_revocations WHERE id = $1', [id])
    },
  }
}
