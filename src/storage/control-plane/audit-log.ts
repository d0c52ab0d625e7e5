/** The `audit_log` table. Triggers refuse to change or delete its rows. */
import type { AuditEntry, AuditFilter, AuditLogStore } from '../../core/people/audit.ts'
import type { Db, SqlValue } from '../db/db.ts'
import { table } from '../db/table.ts'

const ENTRIES = table<AuditEntry>(
  'audit_log',
  `id, created_at, workspace_id, actor_kind, actor_id, actor_name, action, target_id, target_name,
  detail`,
  { json: ['detail'] },
)

// An action is found by its name and by its noun: `deployment` finds `deployment.create` and the others.
const LIST = `
SELECT seq, ${ENTRIES.columns} FROM audit_log
WHERE workspace_id = $1
  AND ($2 = '' OR actor_id = $2)
  AND ($3 = '' OR action = $3 OR substr(action, 1, length($3) + 1) = $3 || '.')
  AND ($4 = '' OR target_id = $4)
  AND ($5 = '' OR created_at >= $5)
  AND ($6 = '' OR created_at < $6)
  AND ($7 = '' OR replace(${searched()}, lower($7), '') <> ${searched()})
  AND seq < $8
ORDER BY seq DESC LIMIT $9`

/** One text with everything that a person may search for. */
function searched(): string {
  const columns = ['action', 'actor_id', 'actor_name', 'target_id', "coalesce(target_name, '')"]
  return `lower(${columns.join(" || ' ' || ")})`
}

/** `db` may be a transaction. */
export function createAuditLogStore(db: Db): AuditLogStore {
  const entries = ENTRIES.on(db)
  return {
    append: (entry) => entries.add(entry),
    list: async (filter, { limit, before = Number.MAX_SAFE_INTEGER }) => {
      const params = [...filterParams(filter), before, limit + 1]
      const found = (await entries.all(LIST, params)) as (AuditEntry & { seq: number })[]
      const page = found.slice(0, limit)
      const next = found.length > limit ? page.at(-1)?.seq : undefined
      return {
        entries: page.map(({ seq: _, ...entry }) => entry),
        next: next === undefined ? undefined : Number(next),
      }
    },
  }
}

function filterParams(filter: AuditFilter): SqlValue[] {
  const { workspace_id, actor_id = '', action = '', target_id = '' } = filter
  const { since = '', until = '', text = '' } = filter
  return [workspace_id, actor_id, action, target_id, since, until, text]
}
