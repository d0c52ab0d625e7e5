/** `runyard serve`: one agent server by itself, or as the child of a process driver. */
import { mkdirSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import { AgentServer, type StopLimits } from '../agent-server/agent-server.ts'
import type { Limits } from '../agent-server/limits.ts'
import { applyProjectEnvironment, type ServeConfig } from '../config.ts'
import type { AgentStore } from '../core/agent-store.ts'
import { systemClock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { noNotices } from '../core/notices.ts'
import type { StartMessage } from '../core/runtime-protocol.ts'
import { readProjectConfig } from '../graph/config-file.ts'
import { GRAPH_ENVIRONMENT } from '../graph/environment.ts'
import { loadProject } from '../graph/project.ts'
import {
  readEventRetentionMs,
  readGraphConfigs,
  readIsLangSmithUsed,
  readRunTimeoutMs,
  readWebhookEnvironment,
} from '../project-environment.ts'
import { openAgentStore } from '../storage/agent-store.ts'
import { readVersion } from '../version.ts'
import { createAgentMetrics, loadLater } from './agent-metrics.ts'
import { followDriver } from './follow-driver.ts'
import { Started } from './lifecycle.ts'
import { close, listen } from './listen.ts'
import { type NoticePeer, ProcessNotices } from './process-notices.ts'
import { reportSources } from './report-sources.ts'
import { openTracer } from './tracing.ts'
import { WebSockets } from './web-sockets.ts'
import { Workers } from './workers.ts'

/** Longer than the gateway keeps a connection unused, so that none closes under a request, in ms. */
const KEEP_ALIVE_MS = 65_000

export interface Serving {
  /** `http://HOST:PORT`; `undefined`: it works for another `serve`, and listens nowhere. */
  url: string | undefined
  /** Whether the project's own auth decides who may use it. */
  hasOwnAuth: boolean
  /** Lets runs go on as long as `limits` say, hands the others on, closes everything. */
  stop(limits: StopLimits): Promise<void>
}

async function openStore(databaseUrl: string | undefined, dataDir: string): Promise<AgentStore> {
  if (databaseUrl !== undefined) return openAgentStore(databaseUrl)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  return openAgentStore(join(dataDir, 'agent.db'))
}

/** Starts the server. `start` is the process driver's message; absent when run by hand. */
export async function startServe(
  config: ServeConfig,
  options: { start?: StartMessage; log: Log },
): Promise<Serving> {
  const { start, log } = options
  if (start) reportSources()
  const started = new Started(log)
  try {
    const { env: defaults } = await readProjectConfig(config.configPath)
    const env = applyProjectEnvironment(defaults, { ...start?.secrets, ...GRAPH_ENVIRONMENT })
    const tracer = await openTracer(start?.deployment_name ?? 'runyard', started, env)
    const databaseUrl = start?.databaseUrl ?? config.databaseUrl
    const own = await openStore(databaseUrl, config.dataDir)
    started.add('store', () => own.close())
    const processNotices = new ProcessNotices()
    const isHelper = config.role === 'worker' && process.connected === true
    if (isHelper) processNotices.add(process)
    const isOneOfSeveral = isHelper || config.workers > 1
    const store =
      own.notices === noNotices && isOneOfSeveral ? { ...own, notices: processNotices } : own
    const project = await loadProject(config.configPath, {
      checkpoints: store.checkpoints,
      items: store.items,
      clock: systemClock,
      log,
      ...(start?.bundlePath !== undefined && { bundlePath: start.bundlePath }),
    })
    const metrics = createAgentMetrics(store)
    const agentServer = new AgentServer({
      metrics,
      tracer,
      store,
      project,
      graphConfigs: readGraphConfigs(env),
      ...(config.publicUrl !== undefined && { publicUrl: config.publicUrl }),
      apiKeys: config.apiKeys,
      role: config.workers > 1 ? 'api' : config.role,
      concurrency: config.concurrency,
      ...(config.maxBodyBytes !== undefined && { maxBodyBytes: config.maxBodyBytes }),
      limits: limitsOf(config),
      runTimeoutMs: readRunTimeoutMs(env),
      eventRetentionMs: readEventRetentionMs(env),
      isLangSmithUsed: readIsLangSmithUsed(env),
      webhooks: {
        ...readWebhookEnvironment(project.config.webhooks.envPrefix, env),
        allowedAddresses: config.webhookAllow,
        timeoutMs: config.webhookTimeoutMs,
      },
      ...(start && { gatewayToken: start.gatewayToken }),
      version: readVersion(),
      clock: systemClock,
      log,
    })
    let limits: StopLimits = { graceMs: 0 }
    const stopAfter = async (given: StopLimits) => {
      limits = given
      await started.stop()
    }
    if (isHelper) {
      started.add('agent server', () => agentServer.stop(limits))
      await agentServer.start()
      return { url: undefined, hasOwnAuth: project.auth !== undefined, stop: stopAfter }
    }
    const { fetch } = config.role === 'worker' ? agentServer.workerApp : agentServer.app
    const server = createAdaptorServer({ fetch, overrideGlobalObjects: false }) as Server
    server.keepAliveTimeout = KEEP_ALIVE_MS
    const webSockets = new WebSockets({ server, fetch, log })
    started.add('WebSockets', () => webSockets.stop())
    started.add('agent server', () => agentServer.stop(limits))
    await agentServer.start({ isStandby: start?.isStandby ?? false })
    if (start) started.add('driver', followDriver(agentServer))
    if (config.workers > 1) startWorkers(config, { processNotices, started, log })
    const url = await listen(server, config)
    loadLater(metrics)
    // Added last, stopped first: new connections are refused while runs are handed on.
    started.add('listener', () => void server.close())
    const stop = async (given: StopLimits) => {
      await stopAfter(given)
      await close(server)
    }
    return { url, hasOwnAuth: project.auth !== undefined, stop }
  } catch (error) {
    await started.stop()
    throw error
  }
}

/** They are stopped before the server that answers for them. */
function startWorkers(
  { workers: count, workerArgs }: ServeConfig,
  { processNotices, started, log }: { processNotices: ProcessNotices; started: Started; log: Log },
): void {
  const onStart = (worker: NoticePeer) => processNotices.add(worker)
  const workers = new Workers({ count, args: [...workerArgs], onStart, log })
  started.add('workers', () => workers.stop())
  workers.start()
}

/** Those that are set. */
function limitsOf({
  maxPendingRuns,
  maxPendingRunsPerThread,
  maxRequestsPerSecond,
  streamBufferBytes,
}: ServeConfig): Partial<Limits> {
  return {
    ...(maxPendingRuns !== undefined && { maxPendingRuns }),
    ...(maxPendingRunsPerThread !== undefined && { maxPendingRunsPerThread }),
    ...(maxRequestsPerSecond !== undefined && { maxRequestsPerSecond }),
    ...(streamBufferBytes !== undefined && { streamBufferBytes }),
  }
}
