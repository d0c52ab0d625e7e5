/** The numbers that a table gives to its rows: the target's next row must get a new one. */
import type { Db } from '../db/db.ts'
import type { CountedTable } from './side.ts'
import { type Place, qualified, type Table } from './tables.ts'

/** The highest number that the table has given; 0: none, or it gives none. */
export async function lastNumber(place: Place, { name, numbered }: Table): Promise<number> {
  if (numbered === undefined) return 0
  const { reader } = place
  const row = await reader.get<{ last: number | null }>(
    `SELECT max(${numbered}) AS last FROM ${qualified(place, name)}`,
  )
  const given =
    reader.dialect === 'sqlite'
      ? await ofSqlite(place, name)
      : await ofPostgres(place, name, numbered)
  return Math.max(Number(row?.last ?? 0), given)
}

/** Only for AUTOINCREMENT: other tables begin again behind their last row. */
async function ofSqlite({ reader }: Place, name: string): Promise<number> {
  const known = await reader.get("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'")
  if (!known) return 0
  const sql = 'SELECT seq FROM sqlite_sequence WHERE name = $1'
  return Number((await reader.get<{ seq: number }>(sql, [name]))?.seq ?? 0)
}

async function ofPostgres(place: Place, name: string, column: string): Promise<number> {
  const found = await place.reader.get<{ sequence: string | null }>(
    'SELECT pg_get_serial_sequence($1, $2) AS sequence',
    [qualified(place, name), column],
  )
  if (!found?.sequence) return 0
  const sql = `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last FROM ${found.sequence}`
  return Number((await place.reader.get<{ last: number }>(sql))?.last ?? 0)
}

/** The next row gets a higher number than the last one. `tx`: with the tables of the target. */
export async function setLastNumber(
  tx: Db,
  { name, numbered, last_number: last }: CountedTable,
): Promise<void> {
  if (numbered === undefined || last === 0) return
  if (tx.dialect === 'postgres') {
    await tx.get('SELECT setval(pg_get_serial_sequence($1, $2), $3)', [name, numbered, last])
    return
  }
  // AUTOINCREMENT writes the row with the first insertion; there is none for other tables.
  const isKept = await tx.get(
    "SELECT 1 FROM sqlite_schema WHERE name = $1 AND upper(sql) LIKE '%AUTOINCREMENT%'",
    [name],
  )
  if (!isKept) return
  const changed = await tx.run('UPDATE sqlite_sequence SET seq = $2 WHERE name = $1', [name, last])
  if (changed === 0)
    await tx.run('INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)', [name, last])
}
