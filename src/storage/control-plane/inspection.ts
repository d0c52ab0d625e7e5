/** Inspects a control plane's database without changing it, for `doctor`. */
import { CONTROL_PLANE_SCHEMA } from '../../core/database-url.ts'
import type { Inspection } from '../../core/deployment/inspection.ts'
import type { SecretBox } from '../../core/secret-box.ts'
import type { Db } from '../db/db.ts'
import { initial } from '../migrations/control-plane/0016-initial.ts'
import { HOLD_VERSION, readHold } from '../migrations/hold.ts'
import { latestVersion } from '../migrations/migrate.ts'
import { openDb } from '../open-db.ts'
import { countUnopened } from './sealed-columns.ts'
import { CONTROL_PLANE_MIGRATIONS } from './store.ts'

const CERTIFIED_DOMAINS = `
SELECT host, deployments.name AS name, certificate FROM domains
JOIN deployments ON deployments.id = deployment_id
WHERE certificate IS NOT NULL ORDER BY host`

const FORWARDING = 'SELECT name FROM deployments WHERE forwards_api_key = 1 ORDER BY name'

const SERVING = `
SELECT name, active_revision_id AS revision_id FROM deployments
WHERE active_revision_id IS NOT NULL ORDER BY name`

const VERSION = `
SELECT coalesce(max(version), 0) AS version FROM schema_migrations WHERE version < $1`

/**
 * `where` as in `openControlPlaneStore`, but a file must exist. `undefined`: there are no tables yet.
 * Throws the errors of the database.
 */
export async function inspectControlPlane(
  where: string,
  box: SecretBox | undefined,
): Promise<Inspection | undefined> {
  const db = await openDb(where, CONTROL_PLANE_SCHEMA)
  try {
    const damage = await damageOf(db)
    const tables = await tablesOf(db)
    if (!tables.has('schema_migrations')) return undefined
    return { damage, ...(await contentOf(db, box, tables)) }
  } finally {
    await db.close()
  }
}

/** Databases of an older Runyard have fewer tables. */
async function tablesOf(db: Db): Promise<Set<string>> {
  const sql =
    db.dialect === 'sqlite'
      ? "SELECT name FROM sqlite_schema WHERE type = 'table'"
      : 'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()'
  return new Set((await db.all<{ name: string }>(sql)).map(({ name }) => name))
}

async function contentOf(
  db: Db,
  box: SecretBox | undefined,
  tables: ReadonlySet<string>,
): Promise<Omit<Inspection, 'damage'>> {
  const held = (await readHold(db))?.message
  const row = await db.get<{ version: number }>(VERSION, [HOLD_VERSION])
  return {
    held,
    version: Number(row?.version ?? 0),
    oldestVersion: initial.version,
    knownVersion: latestVersion(CONTROL_PLANE_MIGRATIONS),
    unopened: box && (await countUnopened(db, box, tables)),
    deployment_ids: await idsOf(db, 'SELECT id FROM deployments'),
    revision_ids: await idsOf(db, 'SELECT id FROM revisions'),
    serving: await db.all(SERVING),
    certified_domains: tables.has('domains') ? await db.all(CERTIFIED_DOMAINS) : [],
    forwarding_names: await forwardingNames(db, Number(row?.version ?? 0)),
  }
}

/** Older schemas do not have the column. */
async function forwardingNames(db: Db, version: number): Promise<string[]> {
  if (version < initial.version) return []
  return (await db.all<{ name: string }>(FORWARDING)).map(({ name }) => name)
}

async function idsOf(db: Db, sql: string): Promise<Set<string>> {
  return new Set((await db.all<{ id: string }>(sql)).map(({ id }) => id))
}

/** What is wrong with the file of SQLite. A PostgreSQL server checks its own files. */
async function damageOf(db: Db): Promise<string | undefined> {
  if (db.dialect !== 'sqlite') return undefined
  const rows = await db.all<{ quick_check: string }>('PRAGMA quick_check(3)')
  const found = rows.map((row) => row.quick_check).join('; ')
  return found === 'ok' ? undefined : found
}
