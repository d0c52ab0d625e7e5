/** The PostgreSQL schema and role of each deployment's agent servers. */
import { createHmac } from 'node:crypto'
import {
  deploymentDatabaseUrl,
  parseDatabaseUrl,
  withLogin,
  withSchema,
} from '../core/database-url.ts'
import type { UpConfig } from '../settings/config.ts'
import { dropSchema, withRoles } from '../storage/open-db.ts'

type DatabaseConfig = Pick<UpConfig, 'databaseUrl' | 'agentDatabaseRoles' | 'runtime'> &
  Partial<Pick<UpConfig, 'agentDatabaseUrl'>>

/**
 * Throws `bad_request` if agent servers should have roles of their own and the database user may create
 * none. Call it before anything is started.
 */
export async function requireDatabaseRights(config: DatabaseConfig): Promise<void> {
  const { databaseUrl } = config
  if (databaseUrl === undefined || !hasOwnRoles(config)) return
  await withRoles(databaseUrl, (roles) => roles.requireRights())
}

/** `key`: passwords are derived from it; the same for every process with this database. Secret. */
export function createDeploymentDatabases(config: DatabaseConfig, key: Uint8Array) {
  const { databaseUrl } = config
  return {
    /** The URL with the login of an agent server, whose role and schema then exist. Secret. */
    async urlOf(deployment_id: string): Promise<string | undefined> {
      const reached = reachedUrl(config, deployment_id)
      if (databaseUrl === undefined || reached === undefined || !hasOwnRoles(config)) return reached
      const schema = schemaOf(databaseUrl, deployment_id)
      const passwordOf = (role: string) => passwordFrom(key, role)
      const order = { deployment_id, schema, passwordOf }
      const user = await withRoles(databaseUrl, (roles) => roles.ensure(order))
      return withLogin(reached, { user, password: passwordOf(user) })
    },

    /** Removes the schema, and its role from this or an earlier setting. May be repeated. */
    async remove(deployment_id: string): Promise<void> {
      if (databaseUrl === undefined) return
      const holding = { deployment_id, schema: schemaOf(databaseUrl, deployment_id) }
      await withRoles(databaseUrl, async (roles) => {
        // A remaining connection could hold a lock on the schema.
        await roles.shutOut(holding)
        await dropSchema(deploymentDatabaseUrl(databaseUrl, deployment_id))
        await roles.drop(holding)
      })
    },
  }
}

/** Child processes get no own role: they could read the control plane's login from its files anyway. */
function hasOwnRoles({ runtime, agentDatabaseRoles }: DatabaseConfig): boolean {
  return runtime !== 'process' && agentDatabaseRoles === 'own'
}

function reachedUrl({ databaseUrl, agentDatabaseUrl: reached }: DatabaseConfig, id: string) {
  if (databaseUrl === undefined || reached === undefined) {
    return databaseUrl && deploymentDatabaseUrl(databaseUrl, id)
  }
  return withSchema(reached, schemaOf(databaseUrl, id))
}

/** The schema's name comes from the URL of the control plane, which moves, backs up and removes it. */
function schemaOf(url: string, deployment_id: string): string {
  return parseDatabaseUrl(deploymentDatabaseUrl(url, deployment_id)).schema ?? ''
}

/** Derived from the key, and stored nowhere. */
function passwordFrom(key: Uint8Array, role: string): string {
  return createHmac('sha256', key).update(`runyard: password of ${role}`).digest('base64url')
}
