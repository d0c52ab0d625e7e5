/** Every table of the migrations is carried or has a reason not to be, on both databases in the same way. */
import { beforeEach, describe, expect, test } from 'vitest'
import { freshPostgres } from '../../../test/support/postgres/postgres.ts'
import { forEachTest } from '../../../test/support/running.ts'
import { AGENT_SERVER_MIGRATIONS } from '../agent/store.ts'
import { CONTROL_PLANE_MIGRATIONS } from '../control-plane/store.ts'
import type { Db } from '../db/db.ts'
import { migrate } from '../migrations/migrate.ts'
import { openDb } from '../open-db.ts'
import { CONTENTS, DATABASE_KINDS, type DatabaseKind } from './contents.ts'
import { inOrder, readTables } from './tables.ts'

const MIGRATIONS = {
  'control-plane': CONTROL_PLANE_MIGRATIONS,
  'agent-server': AGENT_SERVER_MIGRATIONS,
}

/** The references that are checked with each row, and not only at the end of a transaction. */
const REFERENCES = `
SELECT CAST(conrelid AS regclass)::text AS "from", CAST(confrelid AS regclass)::text AS "to"
FROM pg_constraint WHERE contype = 'f' AND NOT condeferred
  AND connamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`

describe.each(DATABASE_KINDS)('the tables of a database of kind %s', (kind: DatabaseKind) => {
  const sqlite = forEachTest(() => openDb(':memory:', ''))
  const postgres = forEachTest(async () => openDb(await freshPostgres(), ''))
  beforeEach(async () => {
    for (const db of [sqlite, postgres]) await migrate(db, MIGRATIONS[kind])
  })

  const tablesOf = (reader: Db) => readTables({ reader }, kind)

  test('are all listed: add a new one to contents.ts, behind those that it refers to', async () => {
    const { carried, left } = CONTENTS[kind]
    const listed = [...carried.flat(), ...Object.keys(left)]
    expect([...(await tablesOf(postgres)).keys()]).toEqual(listed.toSorted())
  })

  test('have the same columns and keys on both databases', async () => {
    expect(await tablesOf(sqlite)).toEqual(await tablesOf(postgres))
  })

  test('come behind those that their rows refer to', async () => {
    const order = CONTENTS[kind].carried.flat()
    const references = await postgres.all<{ from: string; to: string }>(REFERENCES)
    for (const { from, to } of references) {
      expect(order.indexOf(to), `${to} before ${from}`).toBeLessThan(order.indexOf(from))
    }
  })

  test('say where vectors are, and bytes are nothing else', async () => {
    for (const name of CONTENTS[kind].vectors) {
      const [table = '', column = ''] = name.split('.')
      const found = (await tablesOf(sqlite)).get(table)?.columns.find((one) => one.name === column)
      expect(found?.kind).toBe('vector')
    }
  })

  test('that nobody has listed are carried all the same, last', async () => {
    await sqlite.script('CREATE TABLE surprises (id TEXT PRIMARY KEY) STRICT;')
    const groups = inOrder(await tablesOf(sqlite), kind)
    expect(groups.at(-1)?.map(({ name }) => name)).toEqual(['surprises'])
  })
})
