/** Setups for durable runs: agent servers and official savers on the same kind of database. */
import { join } from 'node:path'
import { Pool } from 'undici'
import { type BareGraph, startBareGraph } from './bare-graph.ts'
import { startLanggraphjsDev } from './langgraphjs.ts'
import type { OfficialServer } from './official-server.ts'
import { startPostgres } from './postgres.ts'
import {
  AGENT_PROJECT,
  copyOfProject,
  PYTHON_PROJECT,
  pythonEnvironment,
  startLanggraphDev,
  startPythonGraph,
} from './python.ts'
import { installSavers } from './savers.ts'
import { benchProject, type Server, startServer, temporaryFolder } from './server.ts'

export interface Place {
  /** Added to the row's name. */
  suffix: string
  /** Added to the row's title. */
  title: string
  database: 'SQLite' | 'PostgreSQL'
  /** Of the graph. */
  language: 'TypeScript' | 'Python'
  /** Default: the echo graph. `agent`: the agent of `projects/agent-python`. */
  graph?: 'agent'
  servers: number
}

export const SQLITE: Place = {
  suffix: '',
  title: 'SQLite',
  database: 'SQLite',
  language: 'TypeScript',
  servers: 1,
}
export const POSTGRES: Place = {
  suffix: '-postgres',
  title: 'PostgreSQL',
  database: 'PostgreSQL',
  language: 'TypeScript',
  servers: 1,
}
export const FLEET: Place = {
  suffix: '-fleet',
  title: 'PostgreSQL and 3 servers',
  database: 'PostgreSQL',
  language: 'TypeScript',
  servers: 3,
}
export const PYTHON: Place = {
  suffix: '-python',
  title: 'SQLite, a graph in Python',
  database: 'SQLite',
  language: 'Python',
  servers: 1,
}
export const AGENT: Place = {
  ...PYTHON,
  suffix: '-agent-python',
  title: 'SQLite, create_agent in Python with two tools',
  graph: 'agent',
}
export const ONE_SERVER = [SQLITE, POSTGRES, PYTHON]
export const PLACES = [...ONE_SERVER, FLEET]

/** An open place: servers with the echo graph, and the echo graph alone. */
export interface OpenPlace {
  /** The next server's pool, in turn: with several servers, requests of a run go to different ones. */
  next(): Pool
  /** The processes of the servers. */
  pids: number[]
  /** The servers' SQLite file, or the URL of their PostgreSQL. */
  database: string
  /** `graph.invoke` with the official saver of that database, on the same disk or cluster. */
  saver: BareGraph
  /** The file or URL of the saver. */
  saverDatabase: string
  /** `graph.invoke` without checkpoints. */
  startBare(): Promise<BareGraph>
  /** Starts the language's official server with the same graph, for SQLite. It ends with the place. */
  startPeer?: () => Promise<Pool>
  close(): Promise<void>
}

export async function openPlace(place: Place): Promise<OpenPlace> {
  const { database, servers: count } = place
  const { project, env: ofLanguage, startGraph } = await prepare(place)
  const data = await temporaryFolder()
  const cluster = database === 'PostgreSQL' ? await startPostgres() : undefined
  const env = { ...ofLanguage, ...(cluster && { RUNYARD_DATABASE_URL: cluster.url }) }
  const servers: Server[] = []
  while (servers.length < count) {
    const args = ['serve', '--data-dir', join(data.path, String(servers.length))]
    servers.push(await startServer(args, { cwd: project, env }))
  }
  const pools = servers.map(({ url }) => new Pool(url))
  const saverDatabase = cluster?.url ?? join(data.path, 'saver.db')
  const saver = await startGraph(cluster ? 'postgres' : 'sqlite', saverDatabase)
  const ends: (() => Promise<unknown>)[] = []
  let turn = 0
  return {
    next: () => pools[turn++ % count] as Pool,
    pids: servers.map(({ pid }) => pid),
    database: cluster?.url ?? join(data.path, '0/agent.db'),
    saver,
    saverDatabase,
    startBare: () => startGraph('none'),
    ...(database === 'SQLite' && { startPeer: () => startPeer(place, project, ends) }),
    async close() {
      for (const end of ends) await end()
      for (const pool of pools) await pool.destroy()
      for (const server of servers) await server.stop()
      await saver.stop()
      await cluster?.stop()
      await data.remove()
    },
  }
}

async function prepare({ language, graph }: Place) {
  if (language === 'Python') {
    const { env } = await pythonEnvironment()
    const project = graph === 'agent' ? AGENT_PROJECT : PYTHON_PROJECT
    const startGraph = (...[kind, at]: Parameters<typeof startBareGraph>) =>
      startPythonGraph(kind, at, project)
    return { project, env, startGraph }
  }
  installSavers()
  const startGraph = async (...args: Parameters<typeof startBareGraph>) => startBareGraph(...args)
  return { project: benchProject('echo'), env: {}, startGraph }
}

async function startPeer(
  { language }: Place,
  project: string,
  ends: (() => Promise<unknown>)[],
): Promise<Pool> {
  const isPython = language === 'Python'
  const peer = isPython ? await startPythonPeer(project, ends) : await startLanggraphjsDev(project)
  const pool = new Pool(peer.url)
  ends.unshift(() => pool.destroy(), peer.stop)
  return pool
}

async function startPythonPeer(
  project: string,
  ends: (() => Promise<unknown>)[],
): Promise<OfficialServer> {
  const folder = await copyOfProject(project)
  ends.push(folder.remove)
  return startLanggraphDev(folder.path)
}

/** The name of the official server. */
export function peerName({ language }: Pick<Place, 'language'>): string {
  return language === 'Python' ? 'langgraph dev' : 'langgraphjs dev'
}

/** The name of the floor with the saver. */
export function saverName({ database, language }: Place): string {
  if (language === 'Python') return 'AsyncSqliteSaver'
  return database === 'SQLite' ? 'SqliteSaver' : 'PostgresSaver'
}
