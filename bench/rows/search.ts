/** Searching threads, over HTTP, in a database that was seeded through its store. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openAgentStore } from '../../src/storage/agent/store.ts'
import type { Row } from '../row.ts'
import { benchProject, startServer, temporaryFolder } from '../server.ts'
import { type Sized, sizedRow } from '../sized.ts'

const BATCH = 1000
/** Threads that carry the same `user`, at every size. */
const THREADS_OF_A_USER = 10

export const searchRow: Row = sizedRow({
  name: 'search',
  title: 'the 10 threads updated last',
  unit: 'threads',
  large: 100_000,
  small: 1_000,
  times: 50,
  open: (size) => openSearch(size, { limit: 10 }),
})

export const searchByMetadataRow: Row = sizedRow({
  name: 'search-metadata',
  title: 'the 10 threads of one user, by metadata',
  unit: 'threads',
  large: 100_000,
  small: 1_000,
  times: 20,
  open: (size) => openSearch(size, { limit: 10, metadata: { user: 'user-3' } }),
})

async function openSearch(size: number, query: object): Promise<Sized> {
  const data = await temporaryFolder()
  await seed(join(data.path, 'agent.db'), size)
  const cwd = benchProject('echo')
  const server = await startServer(['serve', '--data-dir', data.path], { cwd })
  return {
    async work() {
      const response = await fetch(`${server.url}/threads/search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(query),
      })
      const found = (await response.json()) as unknown[]
      if (found.length !== 10) throw new Error(`It answered ${JSON.stringify(found)}.`)
    },
    async close() {
      await server.stop()
      await data.remove()
    },
  }
}

async function seed(path: string, size: number): Promise<void> {
  const store = await openAgentStore(path)
  for (let from = 0; from < size; from += BATCH) {
    await store.transaction(async ({ threads }) => {
      for (let i = from; i < Math.min(from + BATCH, size); i++) await threads.insert(threadOf(i))
    })
  }
  await store.close()
}

function threadOf(i: number) {
  return {
    thread_id: randomUUID(),
    created_at: new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString(),
    metadata: { user: `user-${Math.floor(i / THREADS_OF_A_USER)}`, topic: 'bench' },
    config: {},
  }
}
