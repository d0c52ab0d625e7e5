import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Db } from './db.ts'
import { type Migration, migrate } from './migrate.ts'
import { openSqlite } from './sqlite.ts'

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

let folder: string
let path: string
let db: Db

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'runyard-migrate-'))
  path = join(folder, 'test.db')
  db = await openSqlite(path)
})

afterEach(async () => {
  await db.close()
  rmSync(folder, { recursive: true, force: true })
})

test('applies what is missing, in order, and keeps the data', async () => {
  await migrate(db, [first])
  await migrate(db, [first, second])
  await migrate(db, [first, second])
  expect(await db.all('SELECT id, text FROM notes')).toEqual([{ id: 1, text: 'old' }])
})

test('a step that fails takes the earlier ones back', async () => {
  const broken: Migration = { version: 2, name: 'broken', sql: 'CREATE TABLE half (id); nonsense;' }
  await expect(migrate(db, [first, broken])).rejects.toThrow('syntax error')
  await migrate(db, [first])
  expect(await db.all('SELECT id FROM notes')).toEqual([{ id: 1 }])
})

test('a database newer than the code is refused with what to do', async () => {
  await migrate(db, [first, second])
  await expect(migrate(db, [first])).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('version 2'),
  })
})

test('twenty processes that start at once migrate a new file once', async () => {
  const fresh = join(folder, 'fresh.db')
  const program = `
    import { migrate } from ${JSON.stringify(new URL('./migrate.ts', import.meta.url).href)}
    import { openSqlite } from ${JSON.stringify(new URL('./sqlite.ts', import.meta.url).href)}
    const [path, migrations] = JSON.parse(process.argv[1])
    const db = await openSqlite(path)
    await migrate(db, migrations)
    await db.close()`
  const exits = Array.from({ length: 20 }, async () => {
    const argument = JSON.stringify([fresh, [first, second]])
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, argument])
    let complaint = ''
    child.stderr.on('data', (chunk) => {
      complaint += chunk
    })
    const [code] = await once(child, 'close')
    return { code, complaint: code === 0 ? '' : complaint }
  })
  for (const exit of await Promise.all(exits)) expect(exit).toEqual({ code: 0, complaint: '' })
  const result = await openSqlite(fresh)
  expect(await result.all('SELECT id, text FROM notes')).toEqual([{ id: 1, text: 'old' }])
  await result.close()
}, 60_000)
