/** Where durable runs are measured: agent servers and official savers on the same kind of database. */
import { join } from 'node:path'
import { Pool } from 'undici'
import { type BareGraph, startBareGraph } from './bare-graph.ts'
import { startPostgres } from './postgres.ts'
import { installSavers } from './savers.ts'
import { benchProject, type Server, startServer, temporaryFolder } from './server.ts'

export interface Place {
  /** Goes behind the row's name. */
  suffix: string
  /** Goes behind the row's title. */
  title: string
  database: 'SQLite' | 'PostgreSQL'
  servers: number
}

const sqlite: Place = { suffix: '', title: 'SQLite', database: 'SQLite', servers: 1 }
const postgres: Place = {
  suffix: '-postgres',
  title: 'PostgreSQL',
  database: 'PostgreSQL',
  servers: 1,
}
const fleet: Place = {
  suffix: '-fleet',
  title: 'PostgreSQL and 3 servers',
  database: 'PostgreSQL',
  servers: 3,
}
export const ONE_SERVER = [sqlite, postgres]
export const PLACES = [...ONE_SERVER, fleet]

/** A place that is open: servers with the echo graph, and the echo graph with nothing around it. */
export interface OpenPlace {
  /** Of the next server in turn: no two requests of a run go to the same one where there are several. */
  next(): Pool
  /** The file that the servers keep, or the URL of their PostgreSQL. */
  database: string
  /** `graph.invoke` with the official saver of that database, on the same disk or cluster. */
  saver: BareGraph
  /** The file or URL of the saver. */
  saverDatabase: string
  close(): Promise<void>
}

export async function openPlace({ database, servers: count }: Place): Promise<OpenPlace> {
  installSavers()
  const data = await temporaryFolder()
  const cluster = database === 'PostgreSQL' ? await startPostgres() : undefined
  const env = cluster ? { RUNYARD_DATABASE_URL: cluster.url } : {}
  const servers: Server[] = []
  while (servers.length < count) {
    const args = ['serve', '--data-dir', join(data.path, String(servers.length))]
    servers.push(await startServer(args, { cwd: benchProject('echo'), env }))
  }
  const pools = servers.map(({ url }) => new Pool(url))
  const saverDatabase = cluster?.url ?? join(data.path, 'saver.db')
  const saver = startBareGraph(cluster ? 'postgres' : 'sqlite', saverDatabase)
  let turn = 0
  return {
    next: () => pools[turn++ % count] as Pool,
    database: cluster?.url ?? join(data.path, '0/agent.db'),
    saver,
    saverDatabase,
    async close() {
      for (const pool of pools) await pool.destroy()
      for (const server of servers) await server.stop()
      await saver.stop()
      await cluster?.stop()
      await data.remove()
    },
  }
}

/** What the floor with the saver is called. */
export function saverName({ database }: Place): string {
  return database === 'SQLite' ? 'SqliteSaver' : 'PostgresSaver'
}
