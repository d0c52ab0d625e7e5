/** What is read of a table, on both databases: all of it, the same, in pieces that fit into memory. */
import { beforeEach, describe, expect, test } from 'vitest'
import { freshPostgres } from '../../../test/support/postgres/postgres.ts'
import { forEachTest } from '../../../test/support/running.ts'
import type { Db } from '../db/db.ts'
import { openDb } from '../open-db.ts'
import { fillGroup } from './carry.ts'
import { readRows, sumTable } from './read-table.ts'
import { fromLine, type Row, toLine } from './rows.ts'
import { readTables, type Table } from './tables.ts'

const CREATE = `
CREATE TABLE things (
  a TEXT NOT NULL, b INTEGER NOT NULL, flag INTEGER, price REAL, text TEXT, bytes BLOB,
  PRIMARY KEY (a, b)
) STRICT;`

const SILENT = { step() {}, table() {}, rows() {} }

/** In the order of the columns: a, b, bytes, flag, price, text. */
const ROWS: Row[] = [
  ['', -1, null, null, null, null],
  ['a', 0, new Uint8Array(), 1, 0.1, ''],
  [
    'a',
    Number.MAX_SAFE_INTEGER,
    new Uint8Array([0, 255, 10]),
    0,
    -1.5e300,
    '{"a": [1, "\\u0000"]}',
  ],
  ['a b', 1, new Uint8Array(300), 0, 3, "it's \\ \n\t\r \u{1f642} \u2028"],
  ['Z', 1, null, 1, 5e-324, 'Ä'],
  ['é', 1, null, 1, 1 / 3, '\uffff'],
]

describe('rows of every kind', () => {
  let table: Table

  const sqlite = forEachTest(() => openDb(':memory:', ''))
  const postgres = forEachTest(async () => openDb(await freshPostgres(), ''))
  beforeEach(async () => {
    for (const db of [sqlite, postgres]) await db.script(CREATE)
    table = (await readTables({ reader: sqlite }, 'agent-server')).get('things') as Table
  })

  const fillWith = (db: Db, rows: () => AsyncIterable<readonly Row[]>) =>
    fillGroup(db, [table], { rows }, SILENT)
  const fill = (db: Db, rows: Row[]) =>
    fillWith(db, async function* () {
      yield rows
    })
  const read = async (reader: Db) => {
    const rows: Row[] = []
    for await (const batch of readRows({ reader }, table)) rows.push(...batch)
    return rows
  }
  const byLine = (rows: Row[]) => rows.map(toLine).toSorted()

  test('go from one database to the other and back, and stay what they are', async () => {
    await fill(sqlite, ROWS)
    await fillWith(postgres, () => readRows({ reader: sqlite }, table))
    expect(byLine(await read(postgres))).toEqual(byLine(ROWS))
    const sums = [postgres, sqlite].map((reader) => sumTable({ reader }, table))
    expect(await sums[0]).toEqual(await sums[1])
    expect((await read(postgres)).map(([a]) => a)).toEqual((await read(sqlite)).map(([a]) => a))
  })

  test('go through lines of JSON', () => {
    for (const row of ROWS) expect(fromLine(toLine(row), table)).toEqual(row)
  })

  test.each([
    '[]',
    '{}',
    'nonsense',
    '["a","1",null,null,null,null]',
    '["a",1.5,null,null,null,null]',
  ])('that are none are refused: %s', (line) =>
    expect(() => fromLine(line, table)).toThrow('cannot be read'),
  )

  test('have another digest when one of them is another one, and the same in any order', async () => {
    const sums: string[] = []
    for (const rows of [
      ROWS,
      ROWS.toReversed(),
      ROWS.slice(1),
      [...ROWS.slice(1), ['', -1, null, null, null, '']] as Row[],
    ]) {
      const db = await openDb(':memory:', '')
      await db.script(CREATE)
      await fill(db, rows)
      sums.push((await sumTable({ reader: db }, table)).digest)
      await db.close()
    }
    expect(sums[1]).toBe(sums[0])
    expect(new Set(sums).size).toBe(3)
  })

  test('that are large are read few at a time, those that are small many', async () => {
    const large = new Uint8Array(3 * 1024 ** 2)
    const rows = Array.from(
      { length: 700 },
      (_, i): Row => ['x', i, i % 100 === 0 ? large : null, 0, 0, ''],
    )
    await fill(sqlite, rows)
    let [bytes, count] = [0, 0]
    for await (const batch of readRows({ reader: sqlite }, table)) {
      const held = batch.filter((row) => row[2] !== null).length * large.length
      bytes = Math.max(bytes, held)
      count += batch.length
    }
    expect(count).toBe(700)
    expect(bytes).toBe(large.length)
  })

  test('with a character that PostgreSQL cannot keep are refused by name', async () => {
    await fill(sqlite, [['k', 7, null, null, null, 'a\0b']])
    const filling = fillWith(postgres, () => readRows({ reader: sqlite }, table))
    await expect(filling).rejects.toThrow(
      'The row ["k",7] of things holds the character U+0000 in text',
    )
  })
})
