/** Finds the rows of a holder of grants. */
import type { GrantHolder } from '../../../core/oauth/token.ts'
import type { SqlValue } from '../../db/db.ts'

/** A condition for the rows of a holder. `holderParams` are its `$1` to `$3`. */
export const OF_HOLDER = `workspace_id = $1
  AND (CAST($2 AS TEXT) IS NULL OR user_id = $2)
  AND (CAST($3 AS TEXT) IS NULL OR user_id = $3 OR end_user_id = $3)`

export function holderParams({ workspace_id, user_id, person }: GrantHolder): SqlValue[] {
  return [workspace_id, user_id ?? null, person ?? null]
}
