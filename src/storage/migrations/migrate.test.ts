import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freshPostgres } from '../../../test/support/postgres/postgres.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { AGENT_SERVER_MIGRATIONS, openAgentStore } from '../agent/store.ts'
import type { Db } from '../db/db.ts'
import { openDb } from '../open-db.ts'
import { latestVersion, type Migration, migrate } from './migrate.ts'

const first: Migration = {
  version: 1,
  name: 'initial',
  sql: 'CREATE TABLE notes (id INTEGER PRIMARY KEY); INSERT INTO notes (id) VALUES (1);',
}
const second: Migration = {
  version: 2,
  name: 'text',
  sql: "ALTER TABLE notes ADD COLUMN text TEXT; UPDATE notes SET text = 'old';",
}

describe.each([
  ['SQLite', async (folder: string) => join(folder, 'test.db')],
  ['PostgreSQL', freshPostgres],
] as const)('on %s', (_name, findPlace) => {
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

  test('applies what is missing, in order, and keeps the data', async () => {
    await migrate(db, [first])
    await migrate(db, [first, second])
    await migrate(db, [first, second])
    expect(await db.all('SELECT id, text FROM notes')).toEqual([{ id: 1, text: 'old' }])
  })

  test('a step that fails takes the earlier ones back', async () => {
    const broken: Migration = { version: 2, name: 'broken', sql: 'CREATE TABLE half (id); nope;' }
    await expect(migrate(db, [first, broken])).rejects.toThrow('syntax error')
    await migrate(db, [first])
    expect(await db.all('SELECT id FROM notes')).toEqual([{ id: 1 }])
  })

  test('a database newer than the code is refused with what to do', async () => {
    const versions = latestVersion(AGENT_SERVER_MIGRATIONS)
    await (await openAgentStore(place)).close()
    const note = 'INSERT INTO schema_migrations (version, name) VALUES ($1, $2)'
    await db.run(note, [versions + 1, 'of a later Runyard'])
    await expect(openAgentStore(place)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`version ${versions + 1}`),
    })
  })

  test('twenty processes that start at once all find the whole schema', async () => {
    const fresh = await findPlace(mkdtempSync(join(folder, 'fresh-')))
    const exits = await Promise.all(Array.from({ length: 20 }, () => openInProcess(fresh)))
    for (const exit of exits) expect(exit).toEqual({ code: 0, complaint: '' })
    const found = await openDb(fresh, 'unused')
    const versions = await found.all('SELECT version, name FROM schema_migrations ORDER BY version')
    await found.close()
    expect(versions).toEqual(
      AGENT_SERVER_MIGRATIONS.map(({ version, name }) => ({ version, name })),
    )
  }, 120_000)
})

/** Opens the agent server's store as a server does, and closes it. */
async function openInProcess(place: string): Promise<{ code: number; complaint: string }> {
  const program = `
    import { openAgentStore } from ${JSON.stringify(new URL('../agent/store.ts', import.meta.url).href)}
    const store = await openAgentStore(process.argv[1])
    await store.runs.figures(0)
    await store.close()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, place])
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    complaint += chunk
  })
  const [code] = await once(child, 'close')
  return { code, complaint: code === 0 ? '' : complaint }
}
