/** The sizes of a database's tables. */
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'

export interface Tables {
  /** A SQLite file, or the URL of a PostgreSQL. */
  database: string
  /** The schema of the tables, in PostgreSQL. */
  schema: string
}

/**
 * Bytes of the pages of each table and its indexes. In SQLite, pages that wait in the WAL count for their
 * table; in PostgreSQL, data stored beside the table counts, too.
 */
export async function tableSizes({ database, schema }: Tables): Promise<Map<string, number>> {
  const rows = isPostgres(database) ? await ofPostgres(database, schema) : ofSqlite(database)
  return new Map(rows.map(({ name, bytes }) => [name, bytes]))
}

/** Frees the space of obsolete rows. SQLite reuses it at once. */
export async function compact({ database }: Tables): Promise<void> {
  if (isPostgres(database)) await query(database, 'VACUUM FULL')
}

function isPostgres(database: string): boolean {
  return database.startsWith('postgres')
}

interface Size {
  name: string
  bytes: number
}

function ofSqlite(path: string): Size[] {
  const file = new DatabaseSync(path, { readOnly: true })
  try {
    const sql = `SELECT tbl_name AS name, sum(pgsize) AS bytes
      FROM dbstat JOIN sqlite_schema USING (name) WHERE aggregate = TRUE GROUP BY tbl_name`
    return file.prepare(sql).all() as unknown as Size[]
  } finally {
    file.close()
  }
}

function ofPostgres(url: string, schema: string): Promise<Size[]> {
  const sql = `SELECT relname AS name, pg_total_relation_size(oid)::float8 AS bytes
    FROM pg_class WHERE relkind = 'r' AND relnamespace = $1::regnamespace`
  return query(url, sql, [schema])
}

async function query(url: string, sql: string, params: string[] = []): Promise<Size[]> {
  const client = new Client(url)
  await client.connect()
  try {
    return (await client.query<Size>(sql, params)).rows
  } finally {
    await client.end()
  }
}
