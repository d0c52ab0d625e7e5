/** Agent servers made of the real parts, for tests: in this process, or in one that can be killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { serve } from '@hono/node-server'
import { Client } from '@langchain/langgraph-sdk'
import { AgentServer, type StopLimits } from '../../../src/agent-server/server/agent-server.ts'
import type { AgentServerOptions } from '../../../src/agent-server/server/options.ts'
import type { AgentStore } from '../../../src/core/agent/agent-store.ts'
import type { GraphHost } from '../../../src/core/agent/host/graph-host.ts'
import type { ParkedThreads } from '../../../src/core/agent/parked-threads.ts'
import type { StandingWebhook } from '../../../src/core/agent/webhook.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { silentLog } from '../../../src/core/log.ts'
import type { CredentialBox } from '../../../src/core/secret-box.ts'
import { GRAPH_ENVIRONMENT } from '../../../src/graph/js/environment.ts'
import { WebSockets } from '../../../src/http/web-socket/handshakes.ts'
import { readProjectConfig } from '../../../src/project/config.ts'
import { applyProjectEnvironment } from '../../../src/settings/config.ts'
import { openAgentStore } from '../../../src/storage/agent/store.ts'
import { createSecretBox } from '../../../src/storage/control-plane/secret-box.ts'
import { LazyAgentMetrics } from '../../../src/telemetry/agent-metrics.ts'
import { lendProject } from '../hosts/projects.ts'
import { wireHost } from '../hosts/wired-host.ts'
import { endTogether } from '../processes/end-together.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { agentDatabase } from './agent-database.ts'
import { LANGUAGE, type Language } from './language.ts'
import { startRoundRobin } from './round-robin.ts'

/** The folder of a project in `test/fixtures/projects`, or of the same project in Python. */
export function fixtureProject(name: string, language: Language = LANGUAGE): string {
  const folder = language === 'python' ? 'python' : 'projects'
  return fileURLToPath(new URL(`../../fixtures/${folder}/${name}/`, import.meta.url))
}

const CREDENTIAL_BOX = createSecretBox(Buffer.alloc(32, 9))

export interface RunningAgentServer {
  url: string
  client: Client
  store: AgentStore
  /** Those behind the URL, for what each of them has for itself; one alone is its only one. */
  members: [Member, ...Member[]]
  /** When its next run or cron is due, in ms since 1970. */
  nextDue(): Promise<number | null>
  checkParkedThreads(): Promise<ParkedThreads>
  /** Executes no more runs, and goes on to answer. */
  drain(limits: StopLimits): Promise<void>
  /** Stops it; with `graceMs` waits that long for runs. Default 0. */
  stop(options?: { graceMs: number }): Promise<void>
}

type Member = Pick<RunningAgentServer, 'url' | 'client' | 'store'>

export type StartOptions = Partial<Omit<AgentServerOptions, 'host' | 'config' | 'ui' | 'store'>> & {
  /** The name of a fixture project. Default `echo`. */
  projectName?: string
  /** Of its graphs. Default: `LANGUAGE`. */
  language?: Language
  /** Which of its files is the configuration. Default `langgraph.json`. */
  configName?: string
  /** The database's folder. Default: one of its own, removed by `stop`. */
  dataDir?: string
  /** A file or a URL. Default: as `agentDatabase` says for the folder. */
  database?: string
  /** Makes the host of its graphs, in place of the project's own. */
  createHost?: () => GraphHost
  /** Encrypts its credentials. Default: a box with the same key for every server. */
  credentialBox?: CredentialBox
  /** The webhooks of all runs. Default: none. */
  standingWebhooks?: readonly StandingWebhook[]
  /** Stands before its store. */
  storeOver?: (store: AgentStore) => AgentStore
  /** Default 0: a free port. */
  port?: number
  /** Default `false`: it works from its start. */
  isStandby?: boolean
}

/**
 * Starts one on a port of 127.0.0.1; or as many as `TEST_SERVERS` says, on one database, behind a proxy
 * that gives each request to the next of them.
 */
export async function startAgentServer(options: StartOptions = {}): Promise<RunningAgentServer> {
  const { database, remove } = await placeOf(options)
  const count = Number(process.env.TEST_SERVERS ?? 1)
  const start = (port = 0) => startOne({ ...options, database, port })
  const starting = count > 1 ? startBehindProxy(start, count, options.port) : start(options.port)
  const running = await undoingOnFailure(starting, remove)
  return {
    ...running,
    async stop(limits) {
      await running.stop(limits)
      await remove()
    },
  }
}

async function undoingOnFailure<T>(work: Promise<T>, undo: () => Promise<void>): Promise<T> {
  try {
    return await work
  } catch (error) {
    await undo()
    throw error
  }
}

/** Where its database is, and how to remove what was made for it. */
async function placeOf({ dataDir, database }: StartOptions) {
  const remove = async () => {}
  if (database !== undefined) return { database, remove }
  if (dataDir !== undefined) return { database: await agentDatabase(dataDir), remove }
  const folder = temporaryFolder()
  return {
    database: await agentDatabase(folder),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** The store is the first one's. */
async function startBehindProxy(
  start: () => Promise<RunningAgentServer>,
  count: number,
  port = 0,
): Promise<RunningAgentServer> {
  const first = await start()
  const servers: [RunningAgentServer, ...RunningAgentServer[]] = [first]
  while (servers.length < count) servers.push(await start())
  const urls = servers.map((server) => server.url)
  const proxy = await startRoundRobin(urls, port)
  return {
    ...first,
    url: proxy.url,
    client: clientOf(proxy.url),
    members: servers,
    async drain(limits) {
      await Promise.all(servers.map((server) => server.drain(limits)))
    },
    async stop(limits) {
      await Promise.all(servers.map((server) => server.stop(limits)))
      await proxy.stop()
    },
  }
}

async function startOne(
  options: Required<Pick<StartOptions, 'database' | 'port'>> & StartOptions,
): Promise<RunningAgentServer> {
  applyProjectEnvironment(GRAPH_ENVIRONMENT, {})
  const { projectName = 'echo', configName = 'langgraph.json', port, database, ...rest } = options
  const { log = silentLog } = rest
  const { language = LANGUAGE } = rest
  const config = await readProjectConfig(join(fixtureProject(projectName, language), configName))
  const { credentialBox: box = CREDENTIAL_BOX, standingWebhooks = [] } = rest
  const store = await openAgentStore(database, { box, standingWebhooks })
  const { isLangSmithUsed = false, createHost } = rest
  const opening: Promise<
    Pick<AgentServerOptions, 'host' | 'config' | 'ui'> & { stop(): Promise<void> }
  > = createHost
    ? Promise.resolve({ host: createHost(), config, stop: async () => {} })
    : lendProject(config, { isLangSmithUsed, log })
  const { stop, ...project } = await undoingOnFailure(opening, () => store.close())
  const server = new AgentServer({
    apiKeys: [],
    version: '0.0.0-test',
    metrics: new LazyAgentMetrics({ store, clock: rest.clock ?? systemClock }),
    clock: systemClock,
    // Code that heeds its signal is not cut off on a machine that is slow.
    abortLimitMs: 60_000,
    ...rest,
    ...project,
    ...(process.env.TEST_HOST === 'wire' && { host: wireHost(project.host) }),
    store: rest.storeOver?.(store) ?? store,
    log,
  })
  await server.start({ isStandby: rest.isStandby ?? false })
  const { url, close } = await listen(server, port)
  const member: Member = { url, client: clientOf(url), store }
  return {
    ...member,
    members: [member],
    nextDue: () => server.nextDue(),
    drain: (limits) => server.drain(limits),
    checkParkedThreads: () => server.checkParkedThreads(),
    stop: async ({ graceMs } = { graceMs: 0 }) => {
      await server.stop({ graceMs })
      await close()
      await stop()
      await store.close()
    },
  }
}

/** The official client, which does not repeat what failed. `bearer`: what it authenticates with. */
export function clientOf(url: string, bearer?: string): Client {
  const defaultHeaders = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
  const callerOptions = { maxRetries: 0 }
  return new Client({ apiUrl: url, apiKey: null, defaultHeaders, callerOptions })
}

/** An agent server in a process of its own. */
export interface AgentServerProcess {
  url: string
  pid: number
  client: Client
  /** Ends it without a word, as a crash does; settles when it is gone. */
  kill(): Promise<void>
  /** `SIGSTOP` and `SIGCONT`. */
  signal(name: NodeJS.Signals): void
}

/** Starts `agent-server-process.ts` on the project `echo` and a database: a file or a URL. Port 0: a free one. */
export async function spawnAgentServer(
  database: string,
  { port = 0, leaseMs = 15_000 } = {},
): Promise<AgentServerProcess> {
  const script = fileURLToPath(new URL('agent-server-process.ts', import.meta.url))
  const args = [script, database, String(port), String(leaseMs)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  endTogether(child, 'SIGKILL')
  const gone = once(child, 'exit')
  const url = await firstLine(child)
  return {
    url,
    pid: child.pid ?? 0,
    client: clientOf(url),
    kill: async () => {
      child.kill('SIGKILL')
      await gone
    },
    signal: (name) => void child.kill(name),
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('The process has no standard output.')
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error('The agent server ended before it was ready.')
}

async function listen(server: AgentServer, port: number) {
  const http = serve({
    fetch: server.app.fetch,
    hostname: '127.0.0.1',
    port,
    overrideGlobalObjects: false,
  })
  await once(http, 'listening')
  // Clients give up idle connections themselves: none sends a request on one that is just closed here.
  ;(http as Server).keepAliveTimeout = 0
  const { fetch } = server.app
  const webSockets = new WebSockets({ server: http as Server, fetch, log: silentLog })
  const close = async () => {
    await webSockets.stop()
    const closed = once(http, 'close')
    http.close()
    if ('closeAllConnections' in http) http.closeAllConnections()
    await closed
  }
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, close }
}
