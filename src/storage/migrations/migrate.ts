/** Migrates a database to the schema of this version of the code. */
import { AppError } from '../../core/errors.ts'
import type { Db, Dialect } from '../db/db.ts'
import { refuseHeld } from './hold.ts'
import { replaceCheck, type WordCheck } from './replace-check.ts'

/** One step of a schema. It never changes after its release; a change is a new step. */
export interface Migration {
  /** 1, 2, 3, … without gaps. */
  version: number
  name: string
  /**
   * Written with the types of SQLite's strict tables, which `Db.script` translates. Or one text for each
   * database, when they need different statements (a trigger).
   */
  sql: string | Readonly<Record<Dialect, string>>
  /** Columns whose list of words changes, after `sql`: see `replaceCheck`. */
  checks?: readonly WordCheck[]
}

const CREATE_TABLE = `
CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL
);`

/**
 * Applies the missing steps in one transaction: all or none. Any number of processes may call it at once: the first one
 * migrates, the others wait. Throws `conflict` for a database with steps that this code does not know, and for a
 * database that must not be used now (`hold.ts`).
 */
export async function migrate(db: Db, migrations: readonly Migration[]): Promise<void> {
  await db.transaction(
    async (tx) => {
      await tx.script(CREATE_TABLE)
      await refuseHeld(tx)
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
  for (const check of migration.checks ?? []) await replaceCheck(tx, check)
  await tx.run('INSERT INTO schema_migrations (version, name) VALUES ($1, $2)', [
    migration.version,
    migration.name,
  ])
}
