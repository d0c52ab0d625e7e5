/** The databases of an installation by its settings, for `move`, `backup` and `restore`. */
import { join, resolve } from 'node:path'
import {
  CONTROL_PLANE_SCHEMA,
  deploymentDatabaseUrl,
  isDatabaseUrl,
  parseDatabaseUrl,
  withSchema,
} from '../../core/database-url.ts'
import type { DataConfig } from '../../settings/config.ts'
import { AGENT_SERVER_MIGRATIONS, DEFAULT_SCHEMA } from '../../storage/agent/store.ts'
import type { Migrations } from '../../storage/carrying/carry.ts'
import type { Side } from '../../storage/carrying/side.ts'
import { CONTROL_PLANE_MIGRATIONS } from '../../storage/control-plane/store.ts'
import { openDataFolder } from '../installation/data-folder.ts'

/** The limit for a statement over a large table, in ms. */
const STATEMENT_LIMIT_MS = 3_600_000

export const MIGRATIONS: Migrations = {
  'control-plane': CONTROL_PLANE_MIGRATIONS,
  'agent-server': AGENT_SERVER_MIGRATIONS,
}

/** The side of these settings. */
export function sideOf({ isServe, dataDir, databaseUrl }: DataConfig): Side {
  return databaseUrl === undefined ? ofFolder(dataDir, isServe) : ofPostgres(databaseUrl, isServe)
}

/** The side of `--to`: a URL, or the data folder. */
export function targetOf({ isServe, dataDir }: DataConfig, to: string): Side | undefined {
  if (isDatabaseUrl(to)) return ofPostgres(to, isServe)
  const isOwn = /^sqlite:?$/.test(to) || resolve(to.replace(/^sqlite:/, '')) === dataDir
  return isOwn ? ofFolder(dataDir, isServe) : undefined
}

function ofFolder(dataDir: string, isServe: boolean): Side {
  const name = `SQLite in ${dataDir}`
  if (isServe) {
    return {
      ...{ dialect: 'sqlite', name, controlPlane: undefined },
      agentServer: () => join(dataDir, 'agent.db'),
    }
  }
  const folder = openDataFolder(dataDir)
  return {
    ...{ dialect: 'sqlite', name, controlPlane: folder.database },
    agentServer: (id) => join(folder.deploymentData(id), 'agent.db'),
  }
}

function ofPostgres(url: string, isServe: boolean): Side {
  const { schema = isServe ? DEFAULT_SCHEMA : CONTROL_PLANE_SCHEMA } = parseDatabaseUrl(url)
  const slow = withParameter(withSchema(url, schema), 'statement_timeout', STATEMENT_LIMIT_MS)
  const { host, pathname } = new URL(url)
  return {
    dialect: 'postgres',
    name: `PostgreSQL at ${host}${pathname} (schema ${schema})`,
    controlPlane: isServe ? undefined : slow,
    agentServer: (id) => (isServe ? slow : deploymentDatabaseUrl(slow, id)),
  }
}

function withParameter(text: string, name: string, value: number): string {
  const url = new URL(text)
  url.searchParams.set(name, String(value))
  return url.href
}
