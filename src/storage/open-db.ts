/** Opens either database. Only the driver that is needed is loaded. */
import { CONTROL_PLANE_SCHEMA, isDatabaseUrl, parseDatabaseUrl } from '../core/database-url.ts'
import { type Notices, noNotices } from '../core/notices.ts'
import type { Db } from './db/db.ts'
import type { DeploymentRoles } from './db/postgres/deployment-role.ts'

/** `where` is a `postgres://` URL, with the tables in `schema` unless it names one; otherwise a file. */
export async function openDb(where: string, schema: string): Promise<Db> {
  if (isDatabaseUrl(where)) return (await import('./db/postgres/db.ts')).openPostgres(where, schema)
  return (await import('./db/sqlite/db.ts')).openSqlite(where)
}

/** The notices between the servers of this database. `where` and `schema` as for `openDb`. */
export async function openNotices(where: string, schema: string): Promise<Notices> {
  if (!isDatabaseUrl(where)) return noNotices
  const { listenString, schema: own = schema } = parseDatabaseUrl(where)
  if (listenString === undefined) return noNotices
  const { PostgresNotices } = await import('./db/postgres/notices.ts')
  return new PostgresNotices(listenString, own)
}

/** Calls `work` with the roles of deployments. `url`: the control plane's PostgreSQL URL. */
export async function withRoles<T>(
  url: string,
  work: (roles: DeploymentRoles) => Promise<T>,
): Promise<T> {
  const { createDeploymentRoles } = await import('./db/postgres/deployment-role.ts')
  const db = await openDb(url, CONTROL_PLANE_SCHEMA)
  try {
    return await work(createDeploymentRoles(db))
  } finally {
    await db.close()
  }
}

/** Removes the URL's schema and everything in it. Does nothing when there is none. */
export async function dropSchema(url: string): Promise<void> {
  await (await import('./db/postgres/db.ts')).dropPostgresSchema(url)
}
