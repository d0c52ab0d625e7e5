/** Where each deployment's agent servers keep their data in PostgreSQL, and as whom they log in there. */
import { createHmac } from 'node:crypto'
import type { UpConfig } from '../config.ts'
import {
  deploymentDatabaseUrl,
  parseDatabaseUrl,
  withLogin,
  withSchema,
} from '../core/database-url.ts'
import { dropSchema, withRoles } from '../storage/open-db.ts'

type DatabaseConfig = Pick<UpConfig, 'databaseUrl' | 'agentDatabaseRoles' | 'runtime'> &
  Partial<Pick<UpConfig, 'agentDatabaseUrl'>>

/**
 * Throws `bad_request` where agent servers are to have roles of their own and the user of the database may
 * create none. Call it before anything is started.
 */
export async function requireDatabaseRights(config: DatabaseConfig): Promise<void> {
  const { databaseUrl } = config
  if (databaseUrl === undefined || !hasOwnRoles(config)) return
  await withRoles(databaseUrl, (roles) => roles.requireRights())
}

/** `key`: what passwords are derived from; the same for every process that works with this database. Secret. */
export function createDeploymentDatabases(config: DatabaseConfig, key: Uint8Array) {
  const { databaseUrl } = config
  return {
    /** With the login of an agent server, whose role and schema are there then. Secret. */
    async urlOf(deployment_id: string): Promise<string | undefined> {
      const reached = reachedUrl(config, deployment_id)
      if (databaseUrl === undefined || reached === undefined || !hasOwnRoles(config)) return reached
      const schema = schemaOf(databaseUrl, deployment_id)
      const passwordOf = (role: string) => passwordFrom(key, role)
      const order = { deployment_id, schema, passwordOf }
      const user = await withRoles(databaseUrl, (roles) => roles.ensure(order))
      return withLogin(reached, { user, password: passwordOf(user) })
    },

    /** The schema, and the role that it has or had under an earlier setting. May be done again. */
    async remove(deployment_id: string): Promise<void> {
      if (databaseUrl === undefined) return
      const holding = { deployment_id, schema: schemaOf(databaseUrl, deployment_id) }
      await withRoles(databaseUrl, async (roles) => {
        // A connection that is left could hold a lock on what is dropped.
        await roles.shutOut(holding)
        await dropSchema(deploymentDatabaseUrl(databaseUrl, deployment_id))
        await roles.drop(holding)
      })
    },
  }
}

/** A child process could read its parent's files anyway, which say as whom the control plane logs in. */
function hasOwnRoles({ runtime, agentDatabaseRoles }: DatabaseConfig): boolean {
  return runtime !== 'process' && agentDatabaseRoles === 'own'
}

function reachedUrl({ databaseUrl, agentDatabaseUrl: reached }: DatabaseConfig, id: string) {
  if (databaseUrl === undefined || reached === undefined) {
    return databaseUrl && deploymentDatabaseUrl(databaseUrl, id)
  }
  return withSchema(reached, schemaOf(databaseUrl, id))
}

/** It is named after the URL of the control plane, which moves, backs up and removes it. */
function schemaOf(url: string, deployment_id: string): string {
  return parseDatabaseUrl(deploymentDatabaseUrl(url, deployment_id)).schema ?? ''
}

/** Nothing is stored: whoever has the key finds it again. */
function passwordFrom(key: Uint8Array, role: string): string {
  return createHmac('sha256', key).update(`runyard: password of ${role}`).digest('base64url')
}
