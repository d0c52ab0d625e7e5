/** Searches of threads over HTTP, in a database that was filled by SQL. */
import { join } from 'node:path'
import { fill, fillThreads, THREADS_OF_A_USER } from '../filled.ts'
import { startPostgres } from '../postgres.ts'
import type { Row } from '../row.ts'
import { benchProject, startServer, temporaryFolder } from '../server.ts'
import { type Sized, sizedRow } from '../sized.ts'

const SIZES = { unit: 'threads', large: 1_000_000, small: 1_000, times: 40 }

/** Each gets its own number in one row: filling a database takes longer than all searches. */
const SEARCHES: Readonly<Record<string, object>> = {
  newest: {},
  interrupted: { status: 'interrupted' },
  'updated last': { sort_by: 'updated_at' },
  'of a user': { metadata: { user: 'user-3' } },
  'of a topic that all have': { metadata: { topic: 'bench' } },
}

export const searchRows: Row[] = [
  searchRow('search', 'SQLite'),
  searchRow('search-postgres', 'PostgreSQL'),
]

function searchRow(name: string, database: 'SQLite' | 'PostgreSQL'): Row {
  return sizedRow({
    ...SIZES,
    name,
    title: `the first 10 threads, ${database}`,
    open: (size) => openSearch(size, database),
  })
}

async function openSearch(size: number, database: 'SQLite' | 'PostgreSQL'): Promise<Sized> {
  const data = await temporaryFolder()
  const postgres = database === 'PostgreSQL' ? await startPostgres() : undefined
  await fill(postgres?.url ?? join(data.path, 'agent.db'), (db) => fillThreads(db, size))
  const env = postgres ? { RUNYARD_DATABASE_URL: postgres.url } : {}
  const cwd = benchProject('echo')
  const server = await startServer(['serve', '--data-dir', data.path], { cwd, env })
  const works = Object.entries(SEARCHES).map(([what, query]) => {
    return [what, () => searchFor(server.url, query)] as const
  })
  return {
    work: Object.fromEntries(works),
    async close() {
      await server.stop()
      await postgres?.stop()
      await data.remove()
    },
  }
}

async function searchFor(url: string, query: object): Promise<void> {
  const response = await fetch(`${url}/threads/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ limit: THREADS_OF_A_USER, ...query }),
  })
  const found = (await response.json()) as unknown[]
  if (found.length === THREADS_OF_A_USER) return
  throw new Error(`It answered ${response.status}: ${JSON.stringify(found)}.`)
}
