/** Brings a database to the form that this version of the code works on. */
import { AppError } from '../../core/errors.ts'
import type { Db, Dialect } from '../db/db.ts'

/** One step of a schema. Once released it never changes: a change is a new step. */
export interface Migration {
  /** 1, 2, 3, … without gaps. */
  version: number
  name: string
  /**
   * In the types of SQLite's strict tables, which `Db.script` puts in the database's own words; or
   * a text for each, where they need different statements (a trigger).
   */
  sql: string | Readonly<Record<Dialect, string>>
}

const CREATE_TABLE = `
CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL
);`

/**
 * Applies what is missing, in one transaction: all of it or nothing. Any number of processes may do
 * so at once; the first does it, the others wait and find it done. A database with steps that this
 * code does not know is refused: `conflict`.
 */
export async function migrate(db: Db, migrations: readonly Migration[]): Promise<void> {
  await db.transaction(
    async (tx) => {
      await tx.script(CREATE_TABLE)
      const version = await appliedVersion(tx)
      refuseNewer(version, migrations)
      for (const migration of migrations.slice(version)) await apply(tx, migration)
    },
    ['schema'],
  )
}

async function appliedVersion(tx: Db): Promise<number> {
  const row = await tx.get<{ version: number }>(
    'SELECT coalesce(max(version), 0) AS version FROM schema_migrations',
  )
  return Number(row?.version ?? 0)
}

function refuseNewer(version: number, migrations: readonly Migration[]): void {
  if (version <= migrations.length) return
  throw new AppError(
    'conflict',
    `The database is at schema version ${version}, this Runyard knows versions up to ${migrations.length}. Start the newer Runyard that wrote it, or use a copy from before its upgrade.`,
  )
}

async function apply(tx: Db, migration: Migration): Promise<void> {
  const { sql } = migration
  await tx.script(typeof sql === 'string' ? sql : sql[tx.dialect])
  await tx.run('INSERT INTO schema_migrations (version, name) VALUES ($1, $2)', [
    migration.version,
    migration.name,
  ])
}
