/** Inspects a control plane's database without changing it, for `doctor`. */
import { CONTROL_PLANE_SCHEMA } from '../../core/database-url.ts'
import type { Inspection } from '../../core/deployment/inspection.ts'
import type { SecretBox } from '../../core/secret-box.ts'
import type { Db } from '../db/db.ts'
import { HOLD_VERSION, readHold } from '../migrations/hold.ts'
import { openDb } from '../open-db.ts'
import { countUnopened } from './sealed-columns.ts'
import { CONTROL_PLANE_MIGRATIONS } from './store.ts'

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
    if (!(await hasTables(db))) return undefined
    return { damage, ...(await contentOf(db, box)) }
  } finally {
    await db.close()
  }
}

async function hasTables(db: Db): Promise<boolean> {
  const sql =
    db.dialect === 'sqlite'
      ? "SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'"
      : "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'schema_migrations'"
  return (await db.get(sql)) !== undefined
}

async function contentOf(db: Db, box: SecretBox | undefined): Promise<Omit<Inspection, 'damage'>> {
  const held = (await readHold(db))?.message
  const row = await db.get<{ version: number }>(VERSION, [HOLD_VERSION])
  return {
    held,
    version: Number(row?.version ?? 0),
    knownVersion: CONTROL_PLANE_MIGRATIONS.length,
    unopened: box && (await countUnopened(db, box)),
    deployment_ids: await idsOf(db, 'SELECT id FROM deployments'),
    revision_ids: await idsOf(db, 'SELECT id FROM revisions'),
  }
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
