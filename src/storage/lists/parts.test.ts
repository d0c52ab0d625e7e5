import { expect, test } from 'vitest'
import { AGENT_SERVER_MIGRATIONS } from '../agent/store.ts'
import type { Db } from '../db/db.ts'
import { openSqlite } from '../db/sqlite/db.ts'
import { migrate } from '../migrations/migrate.ts'
import { deletePartsBut, partStatements, toParts } from './list-parts.ts'

const item = (n: number) => Buffer.from(JSON.stringify(`${n} ${'x'.repeat(80)}`))

test('what is kept for many versions of a list is named once, however long they are', async () => {
  const db = await openSqlite(':memory:')
  await migrate(db, AGENT_SERVER_MIGRATIONS)
  const items = Array.from({ length: 150 }, (_, n) => item(n))
  const versions = items.map((_, n) => toParts(items.slice(0, n + 1)))
  const removed = toParts([item(-1), ...items])
  for (const { parts } of [...versions, removed]) {
    await db.batch(partStatements('channel_parts', 't', parts))
  }
  const named: string[] = []
  const asking: Db = Object.create(db)
  asking.all = (sql, params) => db.all(sql, params)
  asking.run = (sql, params = []) => {
    named.push(...JSON.parse(String(params.at(-1))))
    return db.run(sql, params)
  }
  const texts = versions.map(({ text }) => text)
  await deletePartsBut(asking, 'channel_parts', 't', texts)
  const kept = await db.all<{ hash: string }>('SELECT hash FROM channel_parts')
  expect(named.toSorted()).toEqual(kept.map(({ hash }) => hash).toSorted())
  expect(new Set(named)).toEqual(
    new Set(versions.flatMap(({ parts }) => parts.map(({ hash }) => hash))),
  )
  await db.close()
})
