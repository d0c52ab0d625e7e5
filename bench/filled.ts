/** Large databases, filled by SQL: through the API it would take hours. */
import { DEFAULT_SCHEMA, openAgentStore } from '../src/storage/agent/store.ts'
import type { Db } from '../src/storage/db/db.ts'
import { openDb } from '../src/storage/open-db.ts'

/** Migrates the database and fills it. `place`: a file, or the URL of a PostgreSQL. */
export async function fill(place: string, work: (db: Db) => Promise<void>): Promise<void> {
  await (await openAgentStore(place)).close()
  const db = await openDb(place, DEFAULT_SCHEMA)
  try {
    await work(db)
    // Statistics as in a database that has grown over time.
    await db.script('ANALYZE;')
  } finally {
    await db.close()
  }
}

/** How many threads have the same `user`, at every size. */
export const THREADS_OF_A_USER = 10

/** Threads a second apart, every tenth interrupted, with two labels. The SQL fits both databases. */
export async function fillThreads(db: Db, count: number): Promise<void> {
  const time = `'2026-01-' || ${two('1 + n / 86400')} || 'T' || ${two('n / 3600 % 24')} || ':' ||
    ${two('n / 60 % 60')} || ':' || ${two('n % 60')} || '.000Z'`
  const user = `'user-' || CAST(n / ${THREADS_OF_A_USER} AS TEXT)`
  await inPieces(count, async (series) => {
    await bulk(
      db,
      `INSERT INTO threads
        (thread_id, created_at, updated_at, state_updated_at, metadata, config, status)
      ${series}
      SELECT ${id(1, 'n')}, ${time}, ${time}, ${time},
        '{"user":"' || ${user} || '","topic":"bench"}', '{}',
        CASE WHEN n % 10 = 0 THEN 'interrupted' ELSE 'idle' END
      FROM series;
      INSERT INTO thread_labels (key, value, created_at, thread_id)
      ${series}
      SELECT 'user', '"' || ${user} || '"', ${time}, ${id(1, 'n')} FROM series;
      INSERT INTO thread_labels (key, value, created_at, thread_id)
      ${series}
      SELECT 'topic', '"bench"', ${time}, ${id(1, 'n')} FROM series;`,
    )
  })
}

/** Pending runs of this many threads, in turn; the first thread is number 0. */
export async function fillPendingRuns(
  db: Db,
  { runs, threads }: { runs: number; threads: number },
): Promise<void> {
  const moment = "'2026-01-01T00:00:00.000Z'"
  await fillThreads(db, threads)
  await inPieces(runs, (series) =>
    bulk(
      db,
      `INSERT INTO runs (run_id, thread_id, assistant_id, created_at, updated_at, status, metadata,
        kwargs, multitask_strategy, available_at, behind)
      ${series}
      SELECT ${id(2, 'n')}, ${id(1, `n % ${threads}`)}, ${id(3, '0')}, ${moment}, ${moment},
        'pending', '{"graph_id":"echo"}',
        '{"config":{},"stream_mode":["values"],"stream_subgraphs":false}', 'enqueue', 0,
        CASE WHEN n < ${threads} THEN 0 ELSE 1 END
      FROM series ORDER BY n;`,
    ),
  )
}

/** On SQLite only. Threads with one run each that ended within the last hour, every hundredth with one of three errors. */
export async function fillEndedRuns(db: Db, count: number, now: number): Promise<void> {
  await fillThreads(db, count)
  const at = `${now} - 3500000 + CAST(n * ${3_400_000 / count} AS INTEGER)`
  const moment = `strftime('%Y-%m-%dT%H:%M:%fZ', (${at}) / 1000.0, 'unixepoch')`
  const error = `'{"error":"ToolError","message":"Tool ' || (n / 100 % 3) || ' does not respond."}'`
  await inPieces(count, (series) =>
    bulk(
      db,
      `INSERT INTO runs (run_id, thread_id, assistant_id, created_at, updated_at, status, metadata,
        kwargs, multitask_strategy, available_at, started_at, error)
      ${series}
      SELECT ${id(2, 'n')}, ${id(1, 'n')}, ${id(3, '0')}, ${moment}, ${moment},
        CASE WHEN n % 100 = 0 THEN 'error' ELSE 'success' END, '{"graph_id":"echo"}',
        '{"config":{},"stream_mode":["values"],"stream_subgraphs":false}', 'enqueue', ${at},
        ${at}, CASE WHEN n % 100 = 0 THEN ${error} END
      FROM series ORDER BY n;`,
    ),
  )
}

/** Rows of one transaction, so that each stays within the statement limit. */
const PIECE = 50_000

async function inPieces(count: number, work: (series: string) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += PIECE) {
    const end = Math.min(from + PIECE, count)
    await work(`WITH RECURSIVE series (n) AS (
      SELECT ${from} UNION ALL SELECT n + 1 FROM series WHERE n + 1 < ${end})`)
  }
}

/** Without a check of foreign keys: the referenced rows exist. */
async function bulk(db: Db, sql: string): Promise<void> {
  if (db.dialect === 'sqlite') await db.script(`PRAGMA foreign_keys = OFF; BEGIN; ${sql} COMMIT;`)
  else await db.script(`SET LOCAL session_replication_role = replica; ${sql}`)
}

/** SQL for a UUID of this kind and number. */
function id(kind: number, number: string): string {
  return `'0000000${kind}-0000-7000-8000-' || substr(CAST(1000000000000 + ${number} AS TEXT), 2)`
}

function two(number: string): string {
  return `substr(CAST(100 + ${number} AS TEXT), 2)`
}
