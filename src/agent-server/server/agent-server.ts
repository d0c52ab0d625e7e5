/** The agent server: one project's graphs behind the API, with the parts that execute runs. */
import { randomUUID } from 'node:crypto'
import type { AgentStore } from '../../core/agent/agent-store.ts'
import { type Authorize, allowAll } from '../../core/agent/authorization.ts'
import { type AgentMetrics, noAgentMetrics } from '../../core/agent/metrics.ts'
import type { ParkedThreads } from '../../core/agent/parked-threads.ts'
import type { ProjectSettings } from '../../core/agent/project-settings.ts'
import type { ServerRole } from '../../core/agent/server-role.ts'
import type { UiBundle } from '../../core/agent/ui-bundle.ts'
import type { Clock } from '../../core/clock.ts'
import type { Load } from '../../core/deployment/runtime.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Log } from '../../core/log.ts'
import type { Place } from '../../core/origin.ts'
import { noTracer, type Tracer } from '../../core/tracing.ts'
import type { Project } from '../../graph/js/project.ts'
import { hostId } from '../../queue/host-processes.ts'
import { Queue } from '../../queue/queue.ts'
import { EventLog } from '../../stream/event-log.ts'
import { type WebhookSettings, Webhooks } from '../../webhook/webhooks.ts'
import { type DoorConfig, IN_PROCESS } from '../access/door.ts'
import type { OpenTo } from '../access/open-door.ts'
import { authorizeBy } from '../access/project-auth.ts'
import { registerSystemAssistants } from '../assistants/system.ts'
import { fireDueCrons } from '../crons/firing.ts'
import { CronScheduler } from '../crons/scheduler.ts'
import { endExhausted, executeRun } from '../execution/executor.ts'
import { nextCheckpoint } from '../execution/next-checkpoint.ts'
import { StrayRejections } from '../execution/stray-rejections.ts'
import { DEFAULT_LIMITS, type Limits, PendingRuns } from '../limits.ts'
import type { Parts } from '../parts.ts'
import { Items } from '../store/items.ts'
import { checkParkedThreads } from '../threads/parked.ts'
import { observeAttempt } from '../webhooks/observed.ts'
import { createAgentServerApp } from './app.ts'
import { Housekeeping } from './housekeeping.ts'
import { createWorkerApp } from './worker-app.ts'

export interface AgentServerOptions extends DoorConfig {
  /** Open; it is not closed here. */
  store: AgentStore
  /** The project, loaded. */
  project: Project
  /** What the project says of its server. */
  config: ProjectSettings
  /** The bundled components of each graph that has some. Default: none has. */
  ui?: ReadonlyMap<string, UiBundle>
  /** Runyard's version, for `/info`. */
  version: string
  /** Where clients see Runyard, for agents' cards; absent: where a request was sent to. */
  publicUrl?: string
  /** What the graphs' own assistants are configured with, by graph. Default: as the project says. */
  graphConfigs?: Readonly<Record<string, JsonObject>>
  /** Decides over every operation. Default: the project's auth; without one everything is allowed. */
  authorize?: Authorize
  /** The largest request that is read, in bytes. Default 300 MiB. */
  maxBodyBytes?: number
  /** Of a server without keys and auth: whom it answers. Absent: everyone who comes to it. */
  openTo?: OpenTo
  /** How much it takes on. Default: `DEFAULT_LIMITS`, each by itself. */
  limits?: Partial<Limits>
  /** With `api` it never claims a run. Default `all`. */
  role?: ServerRole
  /** How many runs execute at once. Default 32: graphs mostly wait for models. */
  concurrency?: number
  /** How long a run may take, each attempt by itself, in ms. Default 3,600,000: an hour. */
  runTimeoutMs?: number
  /** How long the events of a run are kept after its end, in ms. Default 3,600,000: an hour. */
  eventRetentionMs?: number
  /** Adds up what happens. Default: nobody does. */
  metrics?: AgentMetrics
  /** Default: nothing is traced. */
  tracer?: Tracer
  /** What the operator says of webhooks. */
  webhooks?: WebhookSettings
  /** Whether graphs trace to LangSmith, for `/info`. Default false. */
  isLangSmithUsed?: boolean
  /** Hears of each function of a node just before it is called. */
  onNode?: (place: Place) => void
  /** How long a lost server keeps its runs, in ms. Default 15,000. */
  leaseMs?: number
  /** How often to look for crons that another server left, in ms. Default 10,000. */
  cronPollMs?: number
  clock: Clock
  log: Log
}

const DEFAULT_CONCURRENCY = 32
const DEFAULT_RUN_TIMEOUT_MS = 3_600_000
/** How many events are kept in memory of each run that is followed, if they are small. */
const RING_EVENTS = 1_024

/** How long runs that execute may go on, in ms, and how long they then have to come to a checkpoint. */
export interface StopLimits {
  graceMs: number
  checkpointMs?: number
}

export class AgentServer {
  /** The API, for `serve({ fetch, overrideGlobalObjects: false })`; to be used once started. */
  readonly app: ReturnType<typeof createAgentServerApp>
  /** The same for a server that is a worker: it tells how it is. */
  readonly workerApp: ReturnType<typeof createWorkerApp>
  readonly #parts: Parts
  readonly #graphConfigs: Readonly<Record<string, JsonObject>>
  readonly #role: ServerRole
  readonly #queue: Queue
  readonly #housekeeping: Housekeeping
  readonly #strays: StrayRejections
  readonly #webhooks: Webhooks
  readonly #crons: CronScheduler
  #working: Promise<void> | undefined
  #stopping: Promise<void> | undefined
  #disconnect: () => void = () => {}

  /** Answers a request from within the process, which needs none of the server's keys. */
  readonly #fetch = async (request: Request) => this.app.fetch(request, IN_PROCESS)

  constructor(options: AgentServerOptions) {
    const { store, project, config, clock, log } = options
    this.#graphConfigs = options.graphConfigs ?? {}
    this.#role = options.role ?? 'all'
    this.#queue = this.#createQueue(options)
    this.#webhooks = this.#createWebhooks(options)
    this.#crons = this.#createCrons(options)
    const limits = { ...DEFAULT_LIMITS, ...options.limits }
    this.#parts = {
      store,
      project,
      config,
      ui: options.ui ?? new Map(),
      items: new Items({ store: store.items, config: config.store, embed: project.embed, clock }),
      queue: this.#queue,
      events: this.#createEventLog(options, limits),
      authorize: options.authorize ?? (project.auth ? authorizeBy(project.auth) : allowAll),
      crons: this.#crons,
      webhooks: this.#webhooks,
      metrics: options.metrics ?? noAgentMetrics,
      tracer: options.tracer ?? noTracer,
      runTimeoutMs: options.runTimeoutMs ?? DEFAULT_RUN_TIMEOUT_MS,
      limits,
      pendingRuns: new PendingRuns(store.runs, clock, limits),
      isLangSmithUsed: options.isLangSmithUsed ?? false,
      onNode: options.onNode ?? (() => {}),
      clock,
      log,
    }
    this.#housekeeping = new Housekeeping(this.#parts)
    this.#strays = new StrayRejections(log)
    const appConfig = {
      ...options,
      http: config.http,
      ...(project.auth && { auth: project.auth }),
      ...(project.routes && { routes: project.routes }),
    }
    this.app = createAgentServerApp(this.#parts, appConfig)
    this.workerApp = createWorkerApp(this.#parts, appConfig)
  }

  /**
   * Begins to answer; unless it stands by, also to work. One that stands by leaves the database to
   * the server that it shall replace.
   */
  async start({ isStandby = false } = {}): Promise<void> {
    await this.#prepareIndex()
    this.#strays.start()
    this.#parts.events.start()
    this.#disconnect = this.#connectProject()
    if (!isStandby) await this.work()
  }

  /**
   * Registers the graphs as assistants, takes up what an earlier process left, begins to claim. Does
   * nothing where it works already, or has been stopped.
   */
  work(): Promise<void> {
    this.#working ??= this.#work()
    return this.#working
  }

  /** How much it has to do; see `Load`. */
  async load(): Promise<Omit<Load, 'lag_ms'>> {
    const { running, capacity, isFull } = this.#queue.load
    const { store, clock } = this.#parts
    // Who has room claims what waits.
    const waiting = !isFull ? 0 : await store.runs.countClaimable(clock.now())
    return { running, capacity, waiting, next_due_at: await this.#nextDue(clock.now()) }
  }

  /** When its next run or cron is due, in ms since 1970: in the past when one could be executed now. */
  nextDue(): Promise<number | null> {
    return this.#nextDue(0)
  }

  /** Which threads in the middle of a graph this project could not go on with. */
  checkParkedThreads(): Promise<ParkedThreads> {
    return checkParkedThreads(this.#parts)
  }

  /**
   * Executes no more runs, and goes on to answer: what executes has `graceMs` to end and
   * `checkpointMs` more to come to a checkpoint, then it is handed on to another server of the same
   * database. Who follows such a run here sees it go on there.
   */
  async drain(limits: StopLimits): Promise<void> {
    await this.#crons.stop()
    await this.#queue.stop(limits)
  }

  /** Drains, then cuts the streams that are open. A further call can only shorten the time. */
  stop(limits: StopLimits): Promise<void> {
    this.#stopping ??= this.#stop(limits)
    void this.#queue.stop(limits)
    return this.#stopping
  }

  async #prepareIndex(): Promise<void> {
    const { store, config } = this.#parts
    if (config.store.index) await store.items.prepareVectors()
  }

  #connectProject(): () => void {
    const { project, store, items, onNode } = this.#parts
    return project.connect({ checkpoints: store.checkpoints, items, onNode, fetch: this.#fetch })
  }

  #createQueue({ store, project, concurrency, leaseMs, clock, log }: AgentServerOptions): Queue {
    const graphs = [...project.graphs.keys()]
    return new Queue({
      store,
      notices: store.notices,
      server: { server_id: randomUUID(), host: hostId(), pid: process.pid, graphs },
      execute: (run, lease, signal) => executeRun(this.#parts, run, lease, signal),
      onExhausted: (run, lease) => endExhausted(this.#parts, run, lease),
      nextCheckpoint: (run, signal) => nextCheckpoint(store.checkpoints, run, signal),
      concurrency: concurrency ?? DEFAULT_CONCURRENCY,
      ...(leaseMs !== undefined && { leaseMs }),
      clock,
      log,
    })
  }

  #createEventLog(options: AgentServerOptions, { streamBufferBytes }: Limits): EventLog {
    const { store, eventRetentionMs: retentionMs, clock, log } = options
    return new EventLog({
      store,
      isLocal: (run_id) => this.#queue.isRunning(run_id),
      notices: store.notices,
      ring: { events: RING_EVENTS, chars: streamBufferBytes },
      ...(retentionMs !== undefined && { retentionMs }),
      clock,
      log,
    })
  }

  #createCrons({ store, cronPollMs, clock, log }: AgentServerOptions): CronScheduler {
    return new CronScheduler({
      fire: () => fireDueCrons(this.#parts),
      nextDue: () => store.crons.nextDue(),
      ...(cronPollMs !== undefined && { pollMs: cronPollMs }),
      clock,
      log,
    })
  }

  #createWebhooks({ store, config, webhooks, clock, log }: AgentServerOptions): Webhooks {
    return new Webhooks({
      config: config.webhooks,
      settings: webhooks ?? {},
      isDisabled: config.http.disabled.has('webhooks'),
      deliveries: store.webhookDeliveries,
      local: this.#fetch,
      onAttempt: (delivery, attempt) => observeAttempt(this.#parts, delivery, attempt),
      clock,
      log,
    })
  }

  async #work(): Promise<void> {
    await registerSystemAssistants(this.#parts, this.#graphConfigs)
    if (this.#stopping) return
    if (this.#role !== 'api') await this.#queue.start()
    if (this.#stopping) return
    this.#webhooks.start()
    this.#crons.start()
    this.#housekeeping.start()
  }

  async #nextDue(after: number): Promise<number | null> {
    const { runs, crons, webhookDeliveries } = this.#parts.store
    const dues = [
      await runs.nextDue(after),
      await crons.nextDue(),
      await webhookDeliveries.nextDue(),
    ]
    const known = dues.filter((due) => due !== undefined)
    return known.length > 0 ? Math.min(...known) : null
  }

  async #stop(limits: StopLimits): Promise<void> {
    await this.#housekeeping.stop()
    await this.#crons.stop()
    try {
      await this.#queue.stop(limits)
    } finally {
      await this.#webhooks.stop()
      this.#disconnect()
      await this.#parts.events.stop()
      this.#strays.stop()
    }
  }
}
