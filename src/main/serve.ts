/** `runyard serve`: one agent server by itself, or as the child of a process driver. */
import { createServer as createHttpServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { StrayExceptions } from '../agent-server/execution/stray-errors.ts'
import type { StopLimits } from '../agent-server/server/agent-server.ts'
import type { LogControl } from '../core/log.ts'
import { createTlsServer } from '../gateway/server/http2.ts'
import { onSource } from '../graph/js/modules/hooks.ts'
import { addressOf, close, listen, OpenRequests } from '../http/listen.ts'
import { WebSockets } from '../http/web-socket/handshakes.ts'
import { AgentSocket } from '../link/agent-socket.ts'
import { followDriver, reportSources, reportStart, tellLastReading } from '../link/follow-driver.ts'
import type { Managed } from '../link/managed.ts'
import { Started } from '../process/started.ts'
import { aborted } from '../process/stop-signal.ts'
import type { Watchdog } from '../process/watchdog.ts'
import type { ServeConfig } from '../settings/config.ts'
import { type Opened, type Opening, openAgentServer } from './agent-server.ts'
import { followCertificate, readCertificate } from './installation/certificate.ts'
import { commandPath } from './installation/command-path.ts'
import { type LinkedServer, startLinkedServer } from './linked-server.ts'
import { openStudio } from './studio.ts'
import { type NoticePeer, ProcessNotices, Workers } from './workers.ts'

/** Longer than the gateway keeps unused connections, so that none closes during a request, in ms. */
const KEEP_ALIVE_MS = 65_000

/** How long runs of a draining server may take to reach a checkpoint, in ms. */
const CHECKPOINT_MS = 15_000

interface Serving extends Omit<Opened, 'agentServer' | 'metrics'> {
  /** `http://HOST:PORT`; `undefined`: a worker of another `serve`, which does not listen. */
  url: string | undefined
  /**
   * Executes no more runs, but still answers. Settles when its runs have ended or were handed on and no request is
   * open, when `hurry` aborts, or after `limitMs` and the time of a checkpoint.
   */
  drain(limitMs: number, hurry: AbortSignal): Promise<void>
  /** Lets runs go on within `limits`, hands the others on, closes everything. */
  stop(limits: StopLimits): Promise<void>
}

interface ServeOptions {
  /** From the runtime driver that has started it; absent when run by hand. */
  managed?: Managed
  /** Whether it is a worker of the `serve` that has started it. */
  isHelper: boolean
  watchdog: Watchdog
  /** Called with the reason of a failed start, while the driver can still receive it. */
  onFailure?(error: unknown): Promise<void>
  log: LogControl
}

/** Starts the server. */
export async function startServe(config: ServeConfig, options: ServeOptions): Promise<Serving> {
  const { managed, isHelper, watchdog, log } = options
  const { start, link } = managed ?? {}
  // Only `dev` watches the files.
  if (link && config.devHost !== undefined) reportSources(link, onSource)
  const started = new Started<StopLimits>(log)
  const notices = isHelper || config.workers > 1 ? new ProcessNotices() : undefined
  if (isHelper) notices?.add(process)
  const { onStep, end } = reportStart(link, log)
  const opening = { config, start, link, isHelper, notices, watchdog, started, onStep, log }
  try {
    const linked = await startLinked(opening)
    const opened = await openAgentServer(opening)
    const server = isHelper ? undefined : (linked?.server ?? createServer(opening, opened))
    if (linked) started.add('answers', () => linked.shut())
    const strays = new StrayExceptions(log)
    strays.start()
    started.add('stray exceptions', () => strays.stop())
    watchdog.start()
    started.add('watchdog', () => watchdog.stop())
    if (link && !isHelper)
      started.add('figures', () => tellLastReading(link, () => opened.metrics.counted()))
    started.add('agent server', (limits) => opened.agentServer.stop(limits))
    await onStep('begins to serve')
    await opened.agentServer.start({ isStandby: start?.isStandby ?? false })
    linked?.open(opened.agentServer.app.fetch)
    const url = server && (await startServer(server, opening, opened))
    const { agentServer, metrics: _, ...project } = opened
    const requests = server && new OpenRequests(server)
    return {
      ...project,
      url,
      async drain(limitMs, hurry) {
        const drained = agentServer.drain({ graceMs: limitMs, checkpointMs: CHECKPOINT_MS })
        const ended = Promise.all([drained, requests?.whenNone(limitMs)])
        await Promise.race([ended, aborted(hurry)])
      },
      stop: (limits) => started.stop(limits),
    }
  } catch (error) {
    await options.onFailure?.(error)
    await started.stop({ graceMs: 0 })
    throw error
  } finally {
    end()
  }
}

type ManagedOpening = Opening & { link: Managed['link'] | undefined }

/** `undefined`: the process is a child of its driver, or has none. */
async function startLinked(opening: ManagedOpening): Promise<LinkedServer | undefined> {
  const { config, link, started, log } = opening
  if (!(link instanceof AgentSocket)) return undefined
  const linked = await startLinkedServer(config, { link, keepAliveMs: KEEP_ALIVE_MS, log })
  started.add('connections', () => linked.stop())
  return linked
}

/** Deployments use the dashboard's Studio; below `dev` this is the only one. */
function isStudioWanted({ config, start }: Opening): boolean {
  const { isDashboardWanted, role, devHost } = config
  return isDashboardWanted && role !== 'worker' && (start === undefined || devHost !== undefined)
}

/** Not listening yet. Its connections are cut when the agent server behind it has stopped. */
function createServer(opening: Opening, { agentServer }: Opened): Server {
  const { config, started, log } = opening
  const { fetch } = config.role === 'worker' ? agentServer.workerApp : agentServer.app
  const studio = isStudioWanted(opening) ? openStudio(config, { log }) : undefined
  const answer = studio?.inFrontOf(fetch) ?? fetch
  const listener = getRequestListener(answer, { overrideGlobalObjects: false })
  const server = createListener(opening)
  if (studio) for (const event of ['request', 'upgrade']) server.on(event, studio.admit)
  server.on('request', listener)
  server.keepAliveTimeout = KEEP_ALIVE_MS
  started.add('connections', () => close(server))
  const webSockets = new WebSockets({ server, fetch, log })
  started.add('WebSockets', () => webSockets.stop())
  return server
}

/** Below a gateway, only the gateway connects, so it needs no TLS. */
function createListener({ config: { tls }, start, started, log }: Opening): Server {
  if (!tls || start) return createHttpServer()
  const server = createTlsServer(readCertificate(tls))
  started.add('certificate', followCertificate(server, tls, { log }))
  return server
}

/** Returns the URL. */
async function startServer(
  server: Server,
  opening: ManagedOpening,
  { agentServer, metrics }: Opened,
): Promise<string> {
  const { config, link, started } = opening
  if (link) {
    const measure = () => metrics.reading()
    started.add('driver', followDriver(link, agentServer, measure))
  }
  if (config.workers > 1) startWorkers(opening)
  const url = server.listening ? addressOf(server) : await listen(server, config)
  metrics.loadLater()
  // Added last, stopped first: new connections are refused while runs are handed on.
  started.add('listener', () => void server.close())
  return url
}

/** The workers stop before the server that answers for them. */
function startWorkers({ config, notices, started, log }: Opening): void {
  const { workers: count, workerArgs: args, workerEnv: env } = config
  const onStart = (worker: NoticePeer) => notices?.add(worker)
  const workers = new Workers({ count, commandPath: commandPath(), args, env, onStart, log })
  started.add('workers', () => workers.stop())
  workers.start()
}
