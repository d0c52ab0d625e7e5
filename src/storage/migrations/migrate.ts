/** Migrates a database to the schema of this version of the code. */
import { AppError } from '../../core/errors.ts'
import type { Db, Dialect } from '../db/db.ts'
import { refuseHeld } from './hold.ts'
import { replaceCheck, type WordCheck } from './replace-check.ts'

/**
 * One step of a schema. It never changes after its release; a change is a new step.
 *
 * The first step of a list creates what all versions up to its own have added: `initial` replaces the steps 1 to 16
 * from before Runyard 0.1.0. It keeps the number of the last one, so that a database of that time, and a backup of one,
 * has the version that it needs, and a number never means two schemas.
 */
export interface Migration {
  /** Each has the number after that of the one before. */
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
 * migrates, the others wait. Throws `conflict` for a database whose steps this code does not know, and for a database
 * that must not be used now (`hold.ts`).
 */
export async function migrate(db: Db, migrations: readonly Migration[]): Promise<void> {
  await db.transaction(
    async (tx) => {
      await tx.script(CREATE_TABLE)
      await refuseHeld(tx)
      const version = await appliedVersion(tx)
      if (version > 0) refuseUnknown('The database', version, migrations)
      for (const migration of migrations)
        if (migration.version > version) await apply(tx, migration)
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

/** The newest version that a list of migrations leads to. */
export function latestVersion(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0
}

/** Throws `conflict` for a version that the migrations do not lead through. `what` has it, and begins the sentence. */
export function refuseUnknown(
  what: string,
  version: number,
  migrations: readonly Migration[],
): void {
  const latest = latestVersion(migrations)
  const says = `${what} has schema version ${version}, this Runyard`
  if (version > latest) {
    const next = 'use the newer Runyard that wrote it, or a copy from before its upgrade'
    throw new AppError('conflict', `${says} knows versions up to ${latest}: ${next}.`)
  }
  const first = migrations[0]?.version ?? 0
  if (version < first) {
    const next = 'docs/operations.md, "Upgrades", says how to bring it there'
    throw new AppError('conflict', `${says} begins at version ${first}: ${next}.`)
  }
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
