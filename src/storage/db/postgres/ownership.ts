/** Gives a schema with everything in it to a role. */
import type { Db } from '../db.ts'

/**
 * Statements that give the role what it does not own in the schema. Indexes, and the sequences of columns, go with
 * their tables. Objects that the user may not give away stay.
 */
const REST = `
SELECT format('ALTER %s %I.%I OWNER TO %I', CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW'
    WHEN 'S' THEN 'SEQUENCE' WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END,
  n.nspname, c.relname, CAST($2 AS TEXT)) AS sql
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
  AND pg_get_userbyid(c.relowner) <> $2 AND pg_has_role(current_user, c.relowner, 'USAGE')
  AND NOT EXISTS (SELECT 1 FROM pg_depend AS d WHERE d.classid = CAST('pg_class' AS regclass) AND d.objid = c.oid
    AND d.refclassid = CAST('pg_class' AS regclass) AND d.deptype IN ('a', 'i'))
UNION ALL
SELECT format('ALTER ROUTINE %s OWNER TO %I', CAST(CAST(p.oid AS regprocedure) AS TEXT), CAST($2 AS TEXT)) AS sql
FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
WHERE n.nspname = $1 AND pg_get_userbyid(p.proowner) <> $2 AND pg_has_role(current_user, p.proowner, 'USAGE')
UNION ALL
SELECT format('ALTER TYPE %I.%I OWNER TO %I', n.nspname, t.typname, CAST($2 AS TEXT)) AS sql
FROM pg_type AS t JOIN pg_namespace AS n ON n.oid = t.typnamespace
WHERE n.nspname = $1 AND pg_get_userbyid(t.typowner) <> $2 AND pg_has_role(current_user, t.typowner, 'USAGE')
  AND (t.typtype IN ('e', 'd', 'r')
    OR EXISTS (SELECT 1 FROM pg_class AS c WHERE c.oid = t.typrelid AND c.relkind = 'c'))`

/**
 * Creates the schema where it is missing. The user has to be a member of the role. Call it in a transaction whose
 * `search_path` is only `pg_catalog`.
 */
export async function handOver(tx: Db, role: string, schema: string): Promise<void> {
  const found = await tx.get<{ owner: string }>(
    'SELECT pg_get_userbyid(nspowner) AS owner FROM pg_namespace WHERE nspname = $1',
    [schema],
  )
  if (!found) await tx.script(`CREATE SCHEMA ${schema} AUTHORIZATION ${role}`)
  else if (found.owner !== role) await tx.script(`ALTER SCHEMA ${schema} OWNER TO ${role}`)
  for (const { sql } of await tx.all<{ sql: string }>(REST, [schema, role])) await tx.script(sql)
}
