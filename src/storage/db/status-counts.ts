/** How many rows of a table have each status. */
import type { Db } from './db.ts'

export async function countByStatus(
  db: Db,
  table: 'deployments' | 'revisions',
): Promise<Record<string, number>> {
  const sql = `SELECT status, count(*) AS count FROM ${table} GROUP BY status`
  const rows = await db.all<{ status: string; count: number }>(sql)
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]))
}
