/** What a deployment's role may do and owns, and what the control plane's user may do with it. */
import { AppError } from '../../../core/errors.ts'
import type { Db } from '../db.ts'

/** Throws `bad_request`, with a fix, if the user of this database may not create roles that it can use itself. */
export async function requireRoleRights(db: Db): Promise<void> {
  const row = await db.get<{ name: string; may: number }>(
    `SELECT quote_ident(rolname) AS name, CAST(rolsuper OR (rolcreaterole AND rolinherit) AS INT) AS may
     FROM pg_roles WHERE rolname = current_user`,
  )
  if (row?.may === 1) return
  throw new AppError(
    'bad_request',
    `RUNYARD_DATABASE_URL: its user ${row?.name ?? ''} may not create the roles that keep deployments apart. Let it, as a ` +
      `superuser of PostgreSQL, with ALTER ROLE ${row?.name ?? ''} CREATEROLE INHERIT; or set RUNYARD_AGENT_DATABASE_ROLES=shared, ` +
      'with which the code of every graph can read the keys and the threads of all others.',
  )
}

/**
 * Since PostgreSQL 16 membership is divided: the creator of a role may grant it, also to itself, but neither has its
 * rights nor may give it objects.
 */
export async function becomeMember(tx: Db, role: string): Promise<void> {
  const version = await tx.get<{ number: number }>(
    "SELECT CAST(current_setting('server_version_num') AS INT) AS number",
  )
  const isDivided = Number(version?.number) >= 160_000
  const both = isDivided ? "AND pg_has_role(current_user, $1, 'SET')" : ''
  const found = await tx.get(`SELECT 1 WHERE pg_has_role(current_user, $1, 'USAGE') ${both}`, [
    role,
  ])
  if (found) return
  const how = isDivided ? ' WITH INHERIT TRUE, SET TRUE' : ''
  await tx.script(`GRANT ${role} TO CURRENT_USER${how}`)
}

/** Lets the role into this database, where it finds its own schema before `public`. */
export async function letConnect(tx: Db, role: string, schema: string): Promise<void> {
  const row = await tx.get<{ may: number; database: string }>(
    `SELECT CAST(has_database_privilege($1, current_database(), 'CONNECT') AS INT) AS may,
       quote_ident(current_database()) AS database`,
    [role],
  )
  if (row?.may !== 1) await tx.script(`GRANT CONNECT ON DATABASE ${row?.database} TO ${role}`)
  const path = `SET search_path = ${schema}, public`
  await tx.script(`ALTER ROLE ${role} IN DATABASE ${row?.database} ${path}`)
}

/**
 * Revokes from PUBLIC what only the owner should have: all rights on the control plane's schema, and before PostgreSQL
 * 15 the right to create objects in `public`, where others would find them. Leaves a schema unchanged that another user
 * owns.
 */
export async function closeToOthers(tx: Db, schema: string): Promise<void> {
  const right = schema === 'public' ? 'CREATE' : 'USAGE'
  const open = await tx.get(
    `SELECT 1 FROM pg_namespace WHERE nspname = $1 AND pg_has_role(current_user, nspowner, 'USAGE')
       AND has_schema_privilege('public', oid, $2)`,
    [schema, right],
  )
  if (!open) return
  const rights = schema === 'public' ? 'CREATE' : 'ALL'
  await tx.script(`REVOKE ${rights} ON SCHEMA ${schema} FROM PUBLIC`)
}

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
