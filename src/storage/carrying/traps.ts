/**
 * Finds what graph code may have left in its deployment's schema, which the deployment's role owns: objects that run
 * when a table there is read or written, with the rights of its reader or writer. Here that is the control plane's
 * user, which may read everything.
 */
import { AppError } from '../../core/errors.ts'
import type { Db } from '../db/db.ts'

/** No migration creates any of these. Schemas that the current user owns are not checked. */
const TRAPS = `
WITH place AS (SELECT oid FROM pg_namespace WHERE nspname = $1 AND pg_get_userbyid(nspowner) <> current_user),
relations AS (SELECT c.* FROM pg_class AS c JOIN place ON c.relnamespace = place.oid)
SELECT 'the function ' || p.proname AS what FROM pg_proc AS p JOIN place ON p.pronamespace = place.oid
WHERE p.prorettype <> CAST('trigger' AS regtype)
UNION ALL
SELECT 'the operator ' || o.oprname FROM pg_operator AS o JOIN place ON o.oprnamespace = place.oid
UNION ALL
SELECT 'the type ' || t.typname FROM pg_type AS t JOIN place ON t.typnamespace = place.oid
WHERE t.typtype <> 'c' AND NOT (t.typtype = 'b' AND t.typcategory = 'A')
UNION ALL
SELECT 'the relation ' || relname FROM relations
WHERE relkind NOT IN ('r', 'i', 'S') OR relrowsecurity OR relhasrules OR relhassubclass
UNION ALL
SELECT 'the column ' || r.relname || '.' || a.attname FROM relations AS r
JOIN pg_attribute AS a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped AND r.relkind = 'r'
JOIN pg_type AS t ON t.oid = a.atttypid
WHERE a.attgenerated <> '' OR t.typnamespace <> CAST('pg_catalog' AS regnamespace)
UNION ALL
SELECT 'the index ' || r.relname FROM relations AS r
JOIN pg_depend AS d ON d.classid = CAST('pg_class' AS regclass) AND d.objid = r.oid AND r.relkind = 'i'
WHERE d.refclassid IN (CAST('pg_proc' AS regclass), CAST('pg_operator' AS regclass), CAST('pg_type' AS regclass))
UNION ALL
SELECT 'the statistics ' || s.stxname FROM pg_statistic_ext AS s JOIN relations AS r ON r.oid = s.stxrelid
UNION ALL
SELECT 'the trigger ' || g.tgname FROM pg_trigger AS g JOIN relations AS r ON r.oid = g.tgrelid
WHERE r.relname = 'schema_migrations' AND NOT g.tgisinternal
LIMIT 1`

interface Suspect {
  schema: string
  /** For people: whose schema it is. */
  name: string
}

/**
 * Throws `conflict` with the object that it finds. On `tx`, a name without a schema must not find what the deployment's
 * role has created. Later objects are not seen: the deployment's agent servers must have ended.
 */
export async function refuseTraps(tx: Pick<Db, 'get'>, { schema, name }: Suspect): Promise<void> {
  const found = await tx.get<{ what: string }>(TRAPS, [schema])
  if (!found) return
  throw new AppError(
    'conflict',
    `The schema ${schema} of "${name}" holds ${found.what}, which no Runyard has created. It would run with the rights of the control plane's user: remove it, or the deployment, then run this again.`,
  )
}
