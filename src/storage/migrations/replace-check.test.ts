import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freshPostgres } from '../../../test/support/postgres/postgres.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { Db } from '../db/db.ts'
import { openDb } from '../open-db.ts'
import { type Migration, migrate } from './migrate.ts'
import type { WordCheck } from './replace-check.ts'

const before: Migration = {
  version: 1,
  name: 'initial',
  sql: `
    CREATE TABLE houses (
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL
        CHECK (kind IN ('hut', 'villa')),
      state TEXT NOT NULL CHECK (state IN ('new', 'old'))
    ) STRICT;
    CREATE TABLE rooms (
      id TEXT PRIMARY KEY,
      house_id TEXT NOT NULL REFERENCES houses (id) ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX rooms_of_house ON rooms (house_id);
    CREATE TABLE chairs (
      id TEXT PRIMARY KEY,
      room_id TEXT NOT NULL REFERENCES rooms (id) ON DELETE CASCADE
    ) STRICT;
    INSERT INTO houses (id, kind, state) VALUES ('h', 'hut', 'new');
    INSERT INTO rooms (id, house_id) VALUES ('r', 'h');
    INSERT INTO chairs (id, room_id) VALUES ('c', 'r');`,
}
const withCheck = (check: WordCheck): Migration => ({
  version: 2,
  name: 'kinds',
  sql: 'ALTER TABLE houses ADD COLUMN name TEXT;',
  checks: [check],
})
const KINDS = { table: 'houses', column: 'kind', words: ['hut', 'villa', 'tower'] }
const add = (db: Db, kind: string) =>
  db.run("INSERT INTO houses (id, kind, state) VALUES ($1, $1, 'new')", [kind])

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
    await migrate(db, [before])
  })

  afterEach(async () => {
    await db.close()
  })

  it('keeps every row of the tables that refer to the table', async () => {
    await migrate(db, [before, withCheck(KINDS)])
    expect(await db.all('SELECT id FROM houses')).toEqual([{ id: 'h' }])
    expect(await db.all('SELECT id FROM rooms')).toEqual([{ id: 'r' }])
    expect(await db.all('SELECT id FROM chairs')).toEqual([{ id: 'c' }])
  })

  it('takes the new words and refuses others, here and on a connection that was open before', async () => {
    const other = await openDb(place, 'unused')
    await expect(add(other, 'tower')).rejects.toThrow(/constraint/i)
    await migrate(db, [before, withCheck(KINDS)])
    await add(db, 'tower')
    await add(other, 'villa')
    for (const one of [db, other]) await expect(add(one, 'ship')).rejects.toThrow(/constraint/i)
    await expect(db.run("UPDATE houses SET state = 'odd'")).rejects.toThrow(/constraint/i)
    await other.close()
    const later = await openDb(place, 'unused')
    await expect(add(later, 'ship')).rejects.toThrow(/constraint/i)
    expect(await later.all('SELECT id FROM houses ORDER BY id')).toHaveLength(3)
    await later.close()
  })

  it('still removes the rows that refer to a row that is deleted', async () => {
    await migrate(db, [before, withCheck(KINDS)])
    await db.run('DELETE FROM houses')
    expect(await db.all('SELECT id FROM chairs')).toEqual([])
  })

  it('changes nothing where a row has a word that the list lacks', async () => {
    const step = withCheck({ ...KINDS, words: ['villa'] })
    await expect(migrate(db, [before, step])).rejects.toThrow('houses.kind holds a word')
    expect(await db.all('SELECT id FROM chairs')).toEqual([{ id: 'c' }])
    await add(db, 'villa')
  })

  it('may be all that a migration does', async () => {
    await migrate(db, [before, { ...withCheck(KINDS), sql: '' }])
    await add(db, 'tower')
  })

  it('refuses a column without such a CHECK', async () => {
    const step = withCheck({ table: 'rooms', column: 'id', words: ['r'] })
    await expect(migrate(db, [before, step])).rejects.toThrow(/no CHECK|does not exist/)
  })
})
