/** A PostgreSQL for tests: `TEST_DATABASE_URL`, else one that the run starts when it is first asked. */
import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { inject } from 'vitest'
import { withSchema } from '../../../src/core/database-url.ts'
import { startCluster } from './postgres-cluster.ts'

/** The URL of a database with a schema of its own, at first without any table. */
export async function freshPostgres(): Promise<string> {
  const url = await postgresUrl()
  return withSchema(url, `${schemaPrefix()}${randomUUID().replaceAll('-', '')}`)
}

/** What the names of this run's schemas begin with. */
export function schemaPrefix(): string {
  return prefix(inject('postgresFolder'))
}

/** The URL of the database that all tests of this run share. */
export async function postgresUrl(): Promise<string> {
  return process.env.TEST_DATABASE_URL ?? readStarted(inject('postgresFolder'))
}

/** At the end of a run, where the database stays. */
export async function dropTestSchemas(folder: string): Promise<void> {
  const url = process.env.TEST_DATABASE_URL
  if (!url) return
  const client = new Client({ connectionString: url })
  await client.connect()
  const sql = 'SELECT nspname FROM pg_namespace WHERE starts_with(nspname, $1)'
  const { rows } = await client.query<{ nspname: string }>(sql, [prefix(folder)])
  for (const { nspname } of rows) await client.query(`DROP SCHEMA ${nspname} CASCADE`)
  await client.end()
}

function prefix(folder: string): string {
  const own = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
  return `${own}_`
}

/** One of the processes that run tests starts it, the others wait for what it notes. */
async function readStarted(folder: string): Promise<string> {
  const note = join(folder, 'started.json')
  if (isFirst(folder)) await start(folder, note)
  while (!existsSync(note)) await sleep(20)
  const { url, failure } = JSON.parse(readFileSync(note, 'utf8'))
  if (failure) throw new Error(`The PostgreSQL of the tests did not start: ${failure}`)
  return url
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(join(folder, 'cluster'))
    return true
  } catch {
    return false
  }
}

async function start(folder: string, note: string): Promise<void> {
  // The server runs as another user where the tests run as root.
  chmodSync(folder, 0o755)
  const result = await startCluster(join(folder, 'cluster'), {
    owner: inject('postgresOwner'),
  }).then(
    ({ url }) => ({ url }),
    (error: unknown) => ({ failure: String((error as { stderr?: string }).stderr || error) }),
  )
  writeFileSync(`${note}.part`, JSON.stringify(result))
  renameSync(`${note}.part`, note)
}
