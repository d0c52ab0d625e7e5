/**
 * Databases from before 0.1.0, whose schema was made in sixteen steps. Their dumps are in `test/fixtures/schema-16`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freshPostgres } from '../../../test/support/postgres/postgres.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { openAgentStore } from '../agent/store.ts'
import { CONTENTS } from '../carrying/contents.ts'
import { createSecretBox } from '../control-plane/secret-box.ts'
import { openControlPlaneStore } from '../control-plane/store.ts'
import type { Db, SqlValue } from '../db/db.ts'
import { openDb } from '../open-db.ts'
import { replaceCheck } from './replace-check.ts'

const box = createSecretBox(Buffer.alloc(32, 1))
type Row = Record<string, SqlValue>

const DEPLOYMENT = '00000000-0000-4000-8000-000000000001'

describe.each([
  ['sqlite', async (folder: string) => join(folder, 'test.db')],
  ['postgres', freshPostgres],
] as const)('a database of sixteen steps on %s', (dialect, findPlace) => {
  let folder: string
  let place: string
  let db: Db

  beforeEach(async () => {
    folder = temporaryFolder()
    place = await findPlace(folder)
    db = await openDb(place, 'unused')
  })

  afterEach(async () => {
    await db.close()
  })

  async function load(kind: keyof typeof CONTENTS): Promise<Record<string, Row[]>> {
    const file = new URL(`../../../test/fixtures/schema-16/${kind}.${dialect}.sql`, import.meta.url)
    await db.script(readFileSync(file, 'utf8'))
    return rowsOf(kind)
  }

  /** The rows of every table; with `before` only its columns. */
  async function rowsOf(
    kind: keyof typeof CONTENTS,
    before: Record<string, Row[]> = {},
  ): Promise<Record<string, Row[]>> {
    const { carried, left } = CONTENTS[kind]
    const rows: Record<string, Row[]> = {}
    for (const table of [...carried.flat(), ...Object.keys(left)]) {
      if (table === 'schema_migrations') continue
      const columns = Object.keys(before[table]?.[0] ?? { '*': null }).join(', ')
      rows[table] = await db.all<Row>(`SELECT ${columns} FROM ${table}`)
    }
    return rows
  }

  test('of an agent server keeps every row, and works', async () => {
    const before = await load('agent-server')
    expect(Object.values(before).filter((rows) => rows.length === 0)).toEqual([])
    const store = await openAgentStore(place)
    expect(await rowsOf('agent-server', before)).toEqual(before)
    const claimed = () =>
      store.runs.claim({ server_id: 'other', now: 2, lease_expires_at: 3, only: 'others' }, 10)
    expect(await claimed()).toEqual([])
    await store.runs.release({ now: 2, dead_servers: ['server'] })
    expect(await claimed()).toMatchObject([{ run: { run_id: 'executing' } }])
    await db.run("DELETE FROM runs WHERE run_id = 'executing'")
    expect(await claimed()).toMatchObject([{ run: { run_id: 'next' } }])
    await store.checkWrites()
    await store.close()
  })

  test('of a control plane keeps every row, and works', async () => {
    const before = await load('control-plane')
    expect(Object.values(before).filter((rows) => rows.length === 0)).toEqual([])
    const store = await openControlPlaneStore(place, box)
    expect(await rowsOf('control-plane', before)).toEqual(before)
    expect((await store.deployments.get(DEPLOYMENT))?.secrets).toMatchObject([{ value: 'sk-test' }])
    expect(await store.domains.certificateOf('agent.example.com')).toMatchObject({
      private_key: 'PRIVATE',
    })
    await expect(db.run('DELETE FROM audit_log')).rejects.toThrow('nothing is removed')
    await store.deployments.delete(DEPLOYMENT)
    expect(await store.domains.list(DEPLOYMENT)).toEqual([])
    await store.close()
  })

  test.each([
    ['agent-server', 'runs', 'multitask_strategy'],
    ['agent-server', 'threads', 'status'],
    ['control-plane', 'deployments', 'source'],
    ['control-plane', 'revisions', 'source'],
    ['control-plane', 'oauth_tokens', 'status'],
  ] as const)(
    'of kind %s keeps every row when %s.%s takes new words',
    async (kind, table, column) => {
      const before = await load(kind)
      const words = [...new Set(before[table]?.map((row) => String(row[column]))), 'new']
      await db.transaction((tx) => replaceCheck(tx, { table, column, words }))
      expect(await rowsOf(kind)).toEqual(before)
      const set = (word: string) => db.run(`UPDATE ${table} SET ${column} = $1`, [word])
      await expect(set('other')).rejects.toThrow(/constraint/i)
    },
  )

  test('or of fewer is refused, and stays as it is', async () => {
    await load('agent-server')
    await db.run('DELETE FROM schema_migrations WHERE version > 9')
    const before = await rowsOf('agent-server')
    await expect(openAgentStore(place)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/version 9, this Runyard begins at version 16.*"Upgrades"/),
    })
    expect(await rowsOf('agent-server')).toEqual(before)
  })
})
