import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/support/eventually.ts'
import { freshPostgres } from '../../../../test/support/postgres/postgres.ts'
import { startCluster } from '../../../../test/support/postgres/postgres-cluster.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { DatabaseAway } from '../../../core/errors.ts'
import { type Migration, migrate } from '../../migrations/migrate.ts'
import type { Db } from '../db.ts'
import { dropPostgresSchema, openPostgres } from './db.ts'

const NOTES = 'CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT UNIQUE);'
const insert = (to: Db, text: string) => to.run('INSERT INTO notes (text) VALUES ($1)', [text])
const texts = async (from: Db) =>
  (await from.all<{ text: string }>('SELECT text FROM notes ORDER BY id')).map((row) => row.text)

// PgBouncer gives the connection to others after each transaction. What needs neither named statements
// nor settings of the connection works through it.
describe.each(['false', 'true'])('PostgreSQL, with pgbouncer=%s', (pgbouncer) => {
  let url: string
  let db: Db
  const opened: Db[] = []

  async function open(): Promise<Db> {
    const one = await openPostgres(`${url}&pgbouncer=${pgbouncer}&pool_size=4`, 'unused')
    opened.push(one)
    return one
  }

  beforeEach(async () => {
    url = await freshPostgres()
    db = await open()
    await db.script(NOTES)
  })

  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close()
  })

  test('answers numbers, truths and bytes as the port promises them', async () => {
    const sql = `SELECT CAST($1 AS BIGINT) AS big, count(*) AS n, sum(id) AS none, 1 = 1 AS yes,
      CAST($2 AS BYTEA) AS bytes FROM notes`
    const bytes = new Uint8Array([0, 255])
    const row = { big: 9_007_199_254_740_991, n: 0, none: null, yes: 1, bytes }
    expect(await db.get(sql, [row.big, bytes])).toEqual(row)
  })

  test('keeps its tables in its schema', async () => {
    const sql =
      "SELECT schemaname AS schema FROM pg_tables WHERE tablename = 'notes' AND schemaname = $1"
    const schema = new URL(url).searchParams.get('schema')
    expect(await db.get(sql, [schema])).toEqual({ schema })
    await dropPostgresSchema(url)
    expect(await db.get(sql, [schema])).toBeUndefined()
  })

  test('undoes a transaction with a statement that was sent ahead and failed, and says why', async () => {
    await insert(db, 'taken')
    const sql = 'INSERT INTO notes (text) VALUES ($1)'
    const ahead = async (tx: Db, text: string) => {
      await insert(tx, 'own')
      await tx.runAhead(sql, [text])
    }
    const taken = { code: '23505' }
    await expect(db.transaction((tx) => ahead(tx, 'taken'), [])).rejects.toMatchObject(taken)
    const goesOn = db.transaction(async (tx) => {
      await ahead(tx, 'taken')
      return texts(tx)
    }, [])
    await expect(goesOn).rejects.toMatchObject(taken)
    const refused = { code: 'bad_request' }
    await expect(db.transaction((tx) => ahead(tx, 'a\0b'), [])).rejects.toMatchObject(refused)
    expect(await texts(db)).toEqual(['taken'])
    const seen = await db.transaction(async (tx) => {
      await ahead(tx, 'ahead')
      return texts(tx)
    }, [])
    expect(seen).toEqual(['taken', 'own', 'ahead'])
    expect(await texts(db)).toEqual(seen)
  })

  test('undoes a transaction that throws, or that the database refuses', async () => {
    const failed = db.transaction(async (tx) => {
      await insert(tx, 'a')
      throw new Error('changed my mind')
    })
    await expect(failed).rejects.toThrow('changed my mind')
    const refused = db.transaction((tx) => Promise.all([insert(tx, 'a'), insert(tx, 'a')]))
    await expect(refused).rejects.toMatchObject({ code: '23505' })
    expect(await texts(db)).toEqual([])
  })

  test('is away while it takes no writes, and says what it refuses', async () => {
    const standby = db.transaction(async (tx) => {
      await tx.script('SET TRANSACTION READ ONLY')
      await insert(tx, 'a')
    })
    await expect(standby).rejects.toBeInstanceOf(DatabaseAway)
    await expect(standby).rejects.toThrow(/read-only/)
    const refused = db.transaction(async (tx) => {
      await tx.script('SET LOCAL ROLE pg_monitor')
      await tx.script('CREATE SCHEMA of_another')
    })
    await expect(refused).rejects.toMatchObject({ code: 'unavailable' })
    await expect(refused).rejects.toThrow(/permission denied/)
    expect(await texts(db)).toEqual([])
  })

  test('is away while it takes too long', async () => {
    const slow = db.transaction(async (tx) => {
      await tx.script('SET LOCAL statement_timeout = 10')
      await tx.get('SELECT pg_sleep(60)')
    })
    await expect(slow).rejects.toBeInstanceOf(DatabaseAway)
    await expect(slow).rejects.toThrow(/took too long/)
  })

  test('does not commit what a swallowed failure has undone', async () => {
    const swallowed = db.transaction(async (tx) => {
      await insert(tx, 'a')
      await insert(tx, 'a').catch(() => {})
    })
    await expect(swallowed).rejects.toMatchObject({ code: 'internal' })
    expect(await texts(db)).toEqual([])
  })

  test('runs again what was cut off before its COMMIT was sent', async () => {
    const other = await open()
    const isThere = 'SELECT 1 FROM pg_stat_activity WHERE pid = $1'
    let tries = 0
    await db.transaction(async (tx) => {
      tries += 1
      await insert(tx, `try ${tries}`)
      if (tries > 1) return
      const { pid = 0 } = (await tx.get<{ pid: number }>('SELECT pg_backend_pid() AS pid')) ?? {}
      await other.get('SELECT pg_terminate_backend($1)', [pid])
      await eventually(() => other.get(isThere, [pid])).toBeUndefined()
      // The server's last message is read before this is answered.
      await other.get(isThere, [pid])
    })
    expect(await texts(db)).toEqual(['try 2'])
  })

  test('runs transactions without locks as if each were alone', async () => {
    const other = await open()
    const addOne = (to: Db) =>
      to.transaction(async (tx) => {
        const row = await tx.get<{ n: number }>('SELECT count(*) AS n FROM notes')
        await insert(tx, `number ${row?.n}`)
      })
    await Promise.all([db, other, db, other, db, other].map(addOne))
    expect((await texts(db)).toSorted()).toEqual([0, 1, 2, 3, 4, 5].map((n) => `number ${n}`))
  })

  test('makes those wait for each other that name the same lock, and nobody else', async () => {
    const other = await open()
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const first = db.transaction(
      async (tx) => {
        // BEGIN is sent with the first statement: the locks are held after it.
        await texts(tx)
        begin()
        await gate
        await insert(tx, 'first')
      },
      ['a', 'b'],
    )
    await begun
    const second = other.transaction((tx) => insert(tx, 'second'), ['b'])
    await other.transaction((tx) => insert(tx, 'elsewhere'), ['c'])
    openGate()
    await Promise.all([first, second])
    expect((await texts(db)).toSorted()).toEqual(['elsewhere', 'first', 'second'])
    const order = await db.all(
      'SELECT text FROM notes WHERE text <> $1 ORDER BY xmin::text::bigint',
      ['elsewhere'],
    )
    expect(order).toEqual([{ text: 'first' }, { text: 'second' }])
  })

  test('does all of a batch, or none of it where its condition finds nothing', async () => {
    const row = (text: string) => ({ sql: 'INSERT INTO notes (text) VALUES ($1)', params: [text] })
    const has = (text: string) => ({ sql: 'SELECT 1 FROM notes WHERE text = $1', params: [text] })
    expect(await db.batch([row('a'), row('b')])).toBe(true)
    expect(await db.batch([row('c')], has('a'))).toBe(true)
    expect(await db.batch([row('d')], has('absent'))).toBe(false)
    await expect(db.batch([row('e'), row('a')], has('a'))).rejects.toMatchObject({ code: '23505' })
    expect(await texts(db)).toEqual(['a', 'b', 'c'])
  })

  test('does a batch in order where one statement changes or reads what another has written', async () => {
    const sql = `INSERT INTO notes (id, text) VALUES ($1, $2)
      ON CONFLICT (id) DO UPDATE SET text = excluded.text`
    const row = (id: number, text: string) => ({ sql, params: [id, text] })
    const copy = {
      sql: "INSERT INTO notes (id, text) SELECT id + 1, text || '!' FROM notes WHERE text = $1",
      params: ['b'],
    }
    await insert(db, 'there')
    const isThere = { sql: 'SELECT 1 FROM notes WHERE text = $1', params: ['there'] }
    expect(await db.batch([row(7, 'a'), row(7, 'b')], isThere)).toBe(true)
    expect(await texts(db)).toEqual(['there', 'b'])
    expect(await db.batch([row(7, 'c'), row(9, 'b'), copy], isThere)).toBe(true)
    expect(await texts(db)).toEqual(['there', 'c', 'b', 'b!'])
  })

  test('refuses a character that it cannot keep', async () => {
    await expect(insert(db, 'a\0b')).rejects.toMatchObject({ code: 'bad_request' })
  })

  test('twenty servers that start at once migrate a new schema once', async () => {
    const fresh = `${await freshPostgres()}&pgbouncer=${pgbouncer}`
    const sql = `${NOTES} INSERT INTO notes (text) VALUES ('once');`
    const migrations: Migration[] = [{ version: 1, name: 'initial', sql }]
    const starts = Array.from({ length: 20 }, async () => {
      const one = await openPostgres(fresh, 'unused')
      opened.push(one)
      await migrate(one, migrations)
      return texts(one)
    })
    for (const found of await Promise.all(starts)) expect(found).toEqual(['once'])
    await expect(migrate(opened.at(-1) as Db, [])).rejects.toMatchObject({ code: 'conflict' })
  })
})

describe('a PostgreSQL that goes away', () => {
  test('is unavailable meanwhile, and found again when it is back', async () => {
    const folder = temporaryFolder()
    const cluster = await startCluster(folder, { owner: process.pid, isDurable: true })
    const db = await openPostgres(cluster.url, 'restarted')
    try {
      await db.script(NOTES)
      await insert(db, 'before')
      let tries = 0
      await db.transaction(async (tx) => {
        tries += 1
        await insert(tx, 'cut off')
        if (tries > 1) return
        await cluster.stop('immediate')
        await cluster.start()
        await texts(tx)
      })
      expect(tries).toBe(2)
      expect(await texts(db)).toEqual(['before', 'cut off'])
      await cluster.stop('fast')
      await expect(insert(db, 'lost')).rejects.toMatchObject({ code: 'unavailable' })
      const read = texts(db)
      await cluster.start()
      expect(await read).toEqual(['before', 'cut off'])
    } finally {
      await db.close()
      await cluster.stop('immediate')
      rmSync(folder, { recursive: true, force: true })
    }
  }, 60_000)

  test('is unavailable from the start where nobody listens, without its password', async () => {
    const url = 'postgres://user:hidden@127.0.0.1:1/none'
    const failure = await openPostgres(url, 'unused').catch((error: Error) => error)
    expect(failure).toMatchObject({ code: 'unavailable' })
    expect((failure as Error).message).not.toContain('hidden')
  })
})

test('kill -9 undoes what was not committed, and lets go of its locks', async () => {
  const url = await freshPostgres()
  const db = await openPostgres(url, 'unused')
  await db.script(NOTES)
  const program = `
    import { openPostgres } from ${JSON.stringify(new URL('./db.ts', import.meta.url).href)}
    const db = await openPostgres(process.argv[1], 'unused')
    await db.transaction(async (tx) => {
      await tx.run("INSERT INTO notes (text) VALUES ('undone')")
      process.kill(process.pid, 'SIGKILL')
      await new Promise(() => {})
    }, ['a'])`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, url])
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
  await db.transaction((tx) => insert(tx, 'after'), ['a'])
  expect(await texts(db)).toEqual(['after'])
  await db.close()
})
