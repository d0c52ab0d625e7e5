/** Deployments on one PostgreSQL, whose agent servers each log in as a role of their own. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deploymentDatabaseUrl, withLogin, withSchema } from '../../../src/core/database-url.ts'
import { startBackup } from '../../../src/main/carrying/backup.ts'
import { startMove } from '../../../src/main/carrying/move.ts'
import type { Reporter } from '../../../src/main/carrying/reporter.ts'
import { startRestore } from '../../../src/main/carrying/restore.ts'
import {
  createDeploymentDatabases,
  requireDatabaseRights,
} from '../../../src/main/deployment-databases.ts'
import {
  readBackupConfig,
  readMoveConfig,
  readRestoreConfig,
} from '../../../src/settings/config.ts'
import { openAgentStore } from '../../../src/storage/agent/store.ts'
import { createSecretBox } from '../../../src/storage/control-plane/secret-box.ts'
import { openControlPlaneStore } from '../../../src/storage/control-plane/store.ts'
import { aThread } from '../../support/agent/agent-records.ts'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { aDeployment } from '../../support/control-plane/control-plane-records.ts'
import { type Cluster, startCluster } from '../../support/postgres/postgres-cluster.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const ONE = '11111111-1111-4111-8111-111111111111'
const OTHER = '22222222-2222-4222-8222-222222222222'
const KEY = Buffer.alloc(32, 7)
const SILENT: Reporter = { step() {}, table() {}, rows() {}, end() {} }
const ENCRYPTION_KEY = Buffer.alloc(32, 1)
const CONTROL = { user: 'control', password: 'secret' }

const folder = temporaryFolder()
let cluster: Cluster
/** As the control plane logs in, who is no superuser. */
let url: string
let config: Parameters<typeof requireDatabaseRights>[0]

beforeAll(async () => {
  cluster = await startCluster(folder, { owner: process.pid })
  await asSuperuser("CREATE ROLE control LOGIN CREATEROLE PASSWORD 'secret'")
  await asSuperuser('CREATE DATABASE runyard OWNER control')
  await askPasswords()
  const place = new URL(cluster.url)
  place.pathname = '/runyard'
  url = withLogin(place.href, CONTROL)
  config = { databaseUrl: url, agentDatabaseRoles: 'own', runtime: 'docker' }
  const store = await openControlPlaneStore(url, createSecretBox(ENCRYPTION_KEY))
  await store.deployments.insert(aDeployment({ id: ONE, name: 'one' }))
  await store.close()
})

afterAll(async () => {
  await cluster.stop('immediate')
})

async function asSuperuser(sql: string) {
  return query(cluster.url, sql)
}

/** From now on everybody but the superuser needs one. */
async function askPasswords(): Promise<void> {
  const file = join(folder, 'data', 'pg_hba.conf')
  const rules = 'local all postgres trust\nlocal all all scram-sha-256\n'
  expect(await readFile(file, 'utf8')).toContain('trust')
  await writeFile(file, rules)
  await asSuperuser('SELECT pg_reload_conf()')
}

async function query(where: string, sql: string) {
  const client = new Client({ connectionString: where })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** As a deployment's agent server logs in. */
async function loginOf(deployment_id: string): Promise<string> {
  const login = await createDeploymentDatabases(config, KEY).urlOf(deployment_id)
  return login ?? expect.fail('no database')
}

const schemaOf = (id: string) => `runyard_${id.replaceAll('-', '')}`
const userOf = (login: string) => new URL(login).searchParams.get('user')

const OWNERS = `
SELECT DISTINCT pg_get_userbyid(relowner) AS owner FROM pg_class WHERE relnamespace = to_regnamespace($$SCHEMA$$)
UNION SELECT pg_get_userbyid(proowner) FROM pg_proc WHERE pronamespace = to_regnamespace($$SCHEMA$$)
UNION SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE oid = to_regnamespace($$SCHEMA$$)`

/** What would run with the rights of whoever reads the schema. */
const TRAPS = [
  [
    "CREATE FUNCTION trap(TEXT) RETURNS INT IMMUTABLE LANGUAGE sql AS 'SELECT 1'",
    'DROP FUNCTION trap(TEXT)',
  ],
  ['CREATE VIEW trap AS SELECT 1 AS one', 'DROP VIEW trap'],
  ['CREATE STATISTICS trap ON (lower(thread_id)) FROM threads', 'DROP STATISTICS trap'],
  [
    `CREATE FUNCTION sprung() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
    CREATE TRIGGER trap BEFORE INSERT ON schema_migrations FOR EACH ROW EXECUTE FUNCTION sprung()`,
    'DROP FUNCTION sprung() CASCADE',
  ],
] as const

async function ownersOf(id: string) {
  return (await query(url, OWNERS.replaceAll('SCHEMA', schemaOf(id)))).map(({ owner }) => owner)
}

describe('a deployment’s role', () => {
  test('runs agents, and reads neither the control plane nor another deployment', async () => {
    const [login, other] = [await loginOf(ONE), await loginOf(OTHER)]
    for (const database of [login, other]) {
      const server = await startAgentServer({ database })
      const { thread_id } = await server.client.threads.create()
      await server.client.runs.wait(thread_id, 'agent', { input: { messages: [] } })
      expect(await server.client.runs.list(thread_id)).toMatchObject([{ status: 'success' }])
      await server.stop()
    }
    const tables = ['runyard.api_keys', 'runyard.deployments', `${schemaOf(OTHER)}.threads`]
    for (const table of tables) {
      await expect(query(login, `SELECT * FROM ${table}`), table).rejects.toThrow('denied')
      expect(await query(url, `SELECT * FROM ${table}`)).toBeInstanceOf(Array)
    }
    for (const sql of [
      'CREATE TABLE public.mine (id INT)',
      'CREATE SCHEMA mine',
      'CREATE ROLE mine',
      'SET ROLE control',
      `ALTER ROLE ${userOf(other)} PASSWORD 'mine'`,
      `DROP SCHEMA ${schemaOf(OTHER)} CASCADE`,
    ]) {
      await expect(query(login, sql), sql).rejects.toThrow(/denied|must/)
    }
    expect(await query(login, 'SELECT count(*) AS count FROM threads')).toEqual([{ count: '1' }])
    expect(await ownersOf(ONE)).toEqual([userOf(login)])
  })

  test('has a password that is neither the control plane’s nor another deployment’s', async () => {
    const user = userOf(await loginOf(ONE)) ?? ''
    for (const password of [
      '',
      'secret',
      new URL(await loginOf(OTHER)).searchParams.get('password'),
    ]) {
      const wrong = withLogin(url, { user, password: password ?? '' })
      await expect(query(wrong, 'SELECT 1')).rejects.toThrow(/password/)
    }
    expect(await loginOf(ONE)).toBe(await loginOf(ONE))
  })

  test('takes over what an older Runyard has left, also when several give it at once', async () => {
    const id = '33333333-3333-4333-8333-333333333333'
    const before = await openAgentStore(deploymentDatabaseUrl(url, id))
    await before.threads.insert(aThread())
    expect(await ownersOf(id)).toEqual(['control'])
    const logins = await Promise.all(Array.from({ length: 6 }, () => loginOf(id)))
    expect(new Set(logins).size).toBe(1)
    expect(await ownersOf(id)).toEqual([userOf(logins[0] ?? '')])
    // It works on, as one does that the control plane of before has started.
    await before.threads.insert(aThread())
    await before.close()
    const after = await openAgentStore(logins[0] ?? '')
    await after.threads.insert(aThread())
    await after.close()
    expect(await query(url, `SELECT * FROM ${schemaOf(id)}.threads`)).toHaveLength(3)
  })

  test('lets an installation be backed up, restored and moved by its control plane', async () => {
    const login = await loginOf(ONE)
    await (await openAgentStore(login)).close()
    const at = (name: string, databaseUrl?: string) => ({
      RUNYARD_DATA_DIR: join(folder, name),
      RUNYARD_ENCRYPTION_KEY: ENCRYPTION_KEY.toString('base64'),
      ...(databaseUrl && { RUNYARD_DATABASE_URL: databaseUrl }),
    })
    const up = { isServe: false }
    const archive = join(folder, 'backup.tar.gz')
    const backup = readBackupConfig({ to: archive }, up, at('own', url))
    for (const [trap, undo] of TRAPS) {
      await query(login, trap)
      const refused = startBackup(backup, { withKeys: false, reporter: SILENT })
      await expect(refused, trap).rejects.toThrow(/"one" holds the .*trap/)
      await query(login, undo)
    }
    expect(await startBackup(backup, { withKeys: false, reporter: SILENT })).toMatchObject({
      databases: 2,
    })
    const copy = withSchema(url, 'copy')
    const restore = readRestoreConfig({}, up, at('copy', copy))
    await startRestore(restore, { from: archive, reporter: SILENT })
    const databases = createDeploymentDatabases({ ...config, databaseUrl: copy }, KEY)
    const copied = (await databases.urlOf(ONE)) ?? ''
    expect(userOf(copied)).not.toBe(userOf(login))
    const threads = 'SELECT count(*) AS count FROM'
    expect(await query(copied, `${threads} threads`)).toEqual(
      await query(login, `${threads} threads`),
    )
    await expect(query(copied, `${threads} ${schemaOf(ONE)}.threads`)).rejects.toThrow('denied')
    const move = readMoveConfig({ to: 'sqlite:' }, up, at('copy', copy))
    const moved = await startMove(move, { replace: false, reporter: SILENT })
    expect(moved.databases).toBe(2)
  })

  test('is gone with its deployment, and its schema', async () => {
    const id = '44444444-4444-4444-8444-444444444444'
    const login = await loginOf(id)
    await (await openAgentStore(login)).close()
    const clinging = new Client({ connectionString: login })
    const ended = new Promise((resolve) => clinging.on('error', resolve))
    await clinging.connect()
    await clinging.query('BEGIN')
    await clinging.query('LOCK TABLE threads')
    const databases = createDeploymentDatabases(config, KEY)
    await Promise.all([databases.remove(id), databases.remove(id)])
    await ended
    const left = `SELECT rolname FROM pg_roles WHERE rolname = '${userOf(login)}'
      UNION SELECT nspname FROM pg_namespace WHERE nspname = '${schemaOf(id)}'`
    expect(await query(url, left)).toEqual([])
    await expect(query(login, 'SELECT 1')).rejects.toThrow()
  })
})

test('a user who may create no role is told what helps', async () => {
  await asSuperuser("CREATE ROLE weak LOGIN PASSWORD 'secret'")
  const weak = withSchema(withLogin(url, { user: 'weak', password: 'secret' }), 'public')
  const of = (agentDatabaseRoles: 'own' | 'shared', runtime: 'docker' | 'process') =>
    requireDatabaseRights({ databaseUrl: weak, agentDatabaseRoles, runtime })
  await expect(of('own', 'docker')).rejects.toThrow(/ALTER ROLE weak CREATEROLE .*=shared/)
  await of('shared', 'docker')
  await of('own', 'process')
  const shared = createDeploymentDatabases({ ...config, agentDatabaseRoles: 'shared' }, KEY)
  expect(await shared.urlOf(ONE)).toBe(deploymentDatabaseUrl(url, ONE))
})
