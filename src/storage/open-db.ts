/** Opens whichever database it is; only what is needed of it is loaded. */
import { isDatabaseUrl } from '../core/database-url.ts'
import type { Db } from './db.ts'

/** `where`: a `postgres://` URL, with the tables in `schema` unless it names one; else a file. */
export async function openDb(where: string, schema: string): Promise<Db> {
  if (isDatabaseUrl(where)) return (await import('./postgres.ts')).openPostgres(where, schema)
  return (await import('./sqlite.ts')).openSqlite(where)
}

/** Removes the URL's schema with all that is in it; does nothing where there is none. */
export async function dropSchema(url: string): Promise<void> {
  await (await import('./postgres.ts')).dropPostgresSchema(url)
}
