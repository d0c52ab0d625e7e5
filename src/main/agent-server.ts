/** The agent server of a process: its store, its project, and what the settings say of it. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type OpenTo, STUDIO_ORIGINS } from '../agent-server/access/open-door.ts'
import { ProcessEnds } from '../agent-server/execution/process-ends.ts'
import type { Limits } from '../agent-server/limits.ts'
import { AgentServer } from '../agent-server/server/agent-server.ts'
import { applyProjectEnvironment, type ServeConfig } from '../config.ts'
import type { AgentStore } from '../core/agent/agent-store.ts'
import { systemClock } from '../core/clock.ts'
import type { CorsConfig } from '../core/cors.ts'
import type { StartMessage } from '../core/deployment/runtime-protocol.ts'
import type { Log } from '../core/log.ts'
import { noNotices } from '../core/notices.ts'
import { GRAPH_ENVIRONMENT } from '../graph/js/environment.ts'
import type { Started } from '../process/started.ts'
import type { Watchdog } from '../process/watchdog.ts'
import { type ProjectConfig, readProjectConfig } from '../project/config.ts'
import {
  readEventRetentionMs,
  readGraphConfigs,
  readIsLangSmithUsed,
  readRunTimeoutMs,
  readWebhookEnvironment,
} from '../project/variables.ts'
import type { Environment } from '../settings/settings.ts'
import { openAgentStore } from '../storage/agent/store.ts'
import { LazyAgentMetrics } from '../telemetry/agent-metrics.ts'
import { readVersion } from '../version.ts'
import type { ProcessNotices } from '../workers/notices.ts'
import { openProject } from './project.ts'
import { openTracer } from './tracing.ts'

export interface Opening {
  config: ServeConfig
  /** The process driver's message; `undefined` when run by hand. */
  start: StartMessage | undefined
  /** Between the processes of one `serve`; `undefined`: this is its only one. */
  notices: ProcessNotices | undefined
  /** Hears which node is called last. */
  watchdog: Pick<Watchdog, 'note'>
  /** Takes what is to be closed. */
  started: Started
  log: Log
}

export interface Opened {
  /** To be started. */
  agentServer: AgentServer
  metrics: LazyAgentMetrics
  /** Whether the project's own auth decides who may use it. */
  hasOwnAuth: boolean
  /** `http.cors` of the project. */
  cors: CorsConfig | undefined
}

/** Opens the store and loads the project. */
export async function openAgentServer(opening: Opening): Promise<Opened> {
  const { config, start, watchdog, started, log } = opening
  const projectConfig = await readProjectConfig(config.configPath)
  const env = applyEnvironment(projectConfig, start)
  const tracer = await openTracer(start?.deployment_name ?? 'runyard', started, env)
  const store = await openStore(opening)
  const ends = new ProcessEnds(log)
  ends.start()
  started.add('process ends', () => ends.stop())
  const { bundlePath } = start ?? {}
  const isLangSmithUsed = readIsLangSmithUsed(env)
  const options = { isLangSmithUsed, log, ...(bundlePath !== undefined && { bundlePath }) }
  const loaded = await openProject(projectConfig, options)
  const { auth } = loaded.host
  const metrics = new LazyAgentMetrics({ store, clock: systemClock })
  const agentServer = new AgentServer({
    ...settingsOf(config),
    ...projectSettings(projectConfig, config, env),
    ...loaded,
    ...(start && { gatewayToken: start.gatewayToken }),
    onNode: watchdog.note,
    ...(isOpen(config, start, auth) && { openTo: openTo(config) }),
    store,
    metrics,
    tracer,
    version: readVersion(),
    clock: systemClock,
    log,
  })
  return {
    agentServer,
    metrics,
    hasOwnAuth: auth !== undefined,
    cors: projectConfig.http.cors,
  }
}

/** Answers all variables that are set then. */
function applyEnvironment(
  { env: defaults }: ProjectConfig,
  start: StartMessage | undefined,
): Environment {
  return applyProjectEnvironment(defaults, { ...start?.secrets, ...GRAPH_ENVIRONMENT })
}

async function openStore({ config, start, notices, started }: Opening): Promise<AgentStore> {
  const url = start?.databaseUrl ?? config.databaseUrl
  const store = await openAgentStore(url ?? databaseFile(config))
  started.add('store', () => store.close())
  // A database that tells reaches servers of other machines too.
  return notices && store.notices === noNotices ? { ...store, notices } : store
}

function databaseFile({ dataDir }: ServeConfig): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  return join(dataDir, 'agent.db')
}

function settingsOf(config: ServeConfig) {
  const { publicUrl, apiKeys, role, workers, concurrency, maxBodyBytes } = config
  return {
    ...(publicUrl !== undefined && { publicUrl }),
    apiKeys,
    role: workers > 1 ? ('api' as const) : role,
    concurrency,
    ...(maxBodyBytes !== undefined && { maxBodyBytes }),
    limits: limitsOf(config),
  }
}

/**
 * Whether nobody asks for a key. `dev` leaves that to the server behind it, where who says to be Studio is
 * believed without one.
 */
function isOpen({ apiKeys, devHost }: ServeConfig, start: unknown, auth: unknown): boolean {
  if (devHost !== undefined) return apiKeys.length === 0 || auth !== undefined
  return apiKeys.length === 0 && !auth && !start
}

function openTo({ host, devHost, publicUrl, allowedHosts, allowedOrigins }: ServeConfig): OpenTo {
  const own = publicUrl === undefined ? [] : [new URL(publicUrl)]
  return {
    host: devHost ?? host,
    hosts: [...allowedHosts, ...own.map(({ hostname }) => hostname)],
    origins: [...(allowedOrigins ?? STUDIO_ORIGINS), ...own.map(({ origin }) => origin)],
  }
}

/** Those that are set. */
function limitsOf({
  maxPendingRuns,
  maxPendingRunsPerThread,
  maxRequestsPerSecond,
  streamBufferBytes,
  pageBytes,
}: ServeConfig): Partial<Limits> {
  return {
    ...(maxPendingRuns !== undefined && { maxPendingRuns }),
    ...(maxPendingRunsPerThread !== undefined && { maxPendingRunsPerThread }),
    ...(maxRequestsPerSecond !== undefined && { maxRequestsPerSecond }),
    ...(streamBufferBytes !== undefined && { streamBufferBytes }),
    ...(pageBytes !== undefined && { pageBytes }),
  }
}

/** What the project's variables say; of webhooks the operator has a word too. */
function projectSettings(
  { webhooks }: ProjectConfig,
  { webhookAllow, webhookTimeoutMs }: ServeConfig,
  env: Environment,
) {
  return {
    graphConfigs: readGraphConfigs(env),
    runTimeoutMs: readRunTimeoutMs(env),
    eventRetentionMs: readEventRetentionMs(env),
    isLangSmithUsed: readIsLangSmithUsed(env),
    webhooks: {
      ...readWebhookEnvironment(webhooks.envPrefix, env),
      allowedAddresses: webhookAllow,
      timeoutMs: webhookTimeoutMs,
    },
  }
}
