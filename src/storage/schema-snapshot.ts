/** What a list of migrations adds up to, as text that a reviewer reads and a test compares. */
import { type Migration, migrate } from './migrate.ts'
import { openSqlite } from './sqlite.ts'

const HEADER = `-- Generated from the migrations; never edited by hand. A test compares it with them.
`

/** The schema of an empty SQLite database after these migrations: tables first, each by its name. */
export async function sqliteSchema(migrations: readonly Migration[]): Promise<string> {
  const db = await openSqlite(':memory:')
  try {
    await migrate(db, migrations)
    const objects = await db.all<{ sql: string }>(
      `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
       ORDER BY tbl_name, CASE type WHEN 'table' THEN 1 WHEN 'index' THEN 2 ELSE 3 END, name`,
    )
    return `${HEADER}${objects.map((object) => `\n${object.sql};\n`).join('')}`
  } finally {
    await db.close()
  }
}
