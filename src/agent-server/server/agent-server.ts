/** The agent server: one project's graphs behind the API, with the parts that execute runs. */
import type { ProjectAuth } from '../../core/agent/host/auth.ts'
import type { HostCalls } from '../../core/agent/host/calls.ts'
import type { ParkedThreads } from '../../core/agent/parked-threads.ts'
import type { ServerRole } from '../../core/agent/server/server.ts'
import type { Load } from '../../core/deployment/runtime.ts'
import { AppError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { AS_PROJECT, IN_PROCESS, SELF_CHECK } from '../access/door.ts'
import { withAuthCache } from '../access/project-auth.ts'
import { registerSystemAssistants } from '../assistants/system.ts'
import { fireDueCrons } from '../crons/firing.ts'
import { endExhausted, executeRun } from '../execution/executor.ts'
import { StrayRejections } from '../execution/stray-errors.ts'
import { checkParkedThreads } from '../threads/parked.ts'
import { settledCheckpoints } from '../threads/thread-checkpoints.ts'
import { createAgentServerApp, createWorkerApp } from './app.ts'
import { DatabaseOutage } from './database-outage.ts'
import { Housekeeping } from './housekeeping.ts'
import { type OpenedParts, openParts } from './open-parts.ts'
import type { AgentServerOptions } from './options.ts'

/** How long executing runs may continue, in ms, and how long they then have to reach a checkpoint. */
export interface StopLimits {
  graceMs: number
  checkpointMs?: number
}

export class AgentServer {
  /** The API, for `serve({ fetch, overrideGlobalObjects: false })`. Use it after `start`. */
  readonly app: ReturnType<typeof createAgentServerApp>
  /** The same for a worker: only health, info and metrics. */
  readonly workerApp: ReturnType<typeof createWorkerApp>
  readonly #parts: OpenedParts
  readonly #graphConfigs: Readonly<Record<string, JsonObject>>
  readonly #role: ServerRole
  readonly #housekeeping: Housekeeping
  readonly #outage: DatabaseOutage
  readonly #strays: StrayRejections
  #working: Promise<void> | undefined
  #stopping: Promise<void> | undefined
  #disconnect: () => void = () => {}

  constructor(given: AgentServerOptions) {
    this.#outage = new DatabaseOutage(given.store, given.log)
    const options = { ...given, log: this.#outage.log }
    const { host, config, log } = options
    this.#graphConfigs = options.graphConfigs ?? {}
    this.#role = options.role ?? 'all'
    this.#parts = openParts(options, this.#outage)
    this.#housekeeping = new Housekeeping(this.#parts)
    this.#strays = new StrayRejections(log)
    const appConfig = {
      ...options,
      http: config.http,
      ...(host.auth && { auth: cached(host.auth, options) }),
      ...(host.auth && config.auth?.openapi && { security: config.auth.openapi }),
      ...(host.routes && { routes: host.routes }),
    }
    this.app = createAgentServerApp(this.#parts, appConfig)
    this.workerApp = createWorkerApp(this.#parts, appConfig)
  }

  /**
   * Starts answering and, unless it is a standby, working. A standby leaves the database to the server
   * that it will replace.
   */
  async start({ isStandby = false } = {}): Promise<void> {
    this.#strays.start()
    this.#outage.start(() => this.#parts.queue.wake())
    await this.#prepareIndex()
    this.#parts.events.start()
    this.#disconnect = this.#connectHost()
    await this.#checkItself()
    if (!isStandby) await this.work()
  }

  /**
   * Registers the graphs as assistants, resumes runs that an earlier process left, and starts claiming.
   * Does nothing if the server already works or was stopped.
   */
  work(): Promise<void> {
    this.#working ??= this.#work()
    return this.#working
  }

  /** The server's load; see `Load`. */
  async load(): Promise<Omit<Load, 'lag_ms'>> {
    const { running, capacity, isFull } = this.#parts.queue.load
    const { store, clock } = this.#parts
    // A server with room claims the waiting runs.
    const waiting = !isFull ? 0 : await store.runs.countClaimable(clock.now())
    return { running, capacity, waiting, next_due_at: await this.#nextDue(clock.now()) }
  }

  /** Due time of the next run, cron or webhook delivery, in ms since 1970; in the past if one is due now. */
  nextDue(): Promise<number | null> {
    return this.#nextDue(0)
  }

  /** The threads in the middle of a graph that this project could not continue. */
  checkParkedThreads(): Promise<ParkedThreads> {
    return checkParkedThreads(this.#parts)
  }

  /**
   * Stops executing runs, but keeps answering. Executing runs have `graceMs` to end and `checkpointMs` more to
   * reach a checkpoint; then they are handed over to another server of the same database. Clients that follow
   * such a run here see it continue there.
   */
  async drain(limits: StopLimits): Promise<void> {
    await this.#parts.crons.stop()
    await this.#parts.queue.stop(limits)
  }

  /** Drains, then cuts open streams. A further call can only shorten the time. */
  stop(limits: StopLimits): Promise<void> {
    this.#stopping ??= this.#stop(limits)
    void this.#parts.queue.stop(limits)
    return this.#stopping
  }

  async #prepareIndex(): Promise<void> {
    const { store, config } = this.#parts
    if (config.store.index) await store.items.prepareVectors()
  }

  /**
   * Sends a request through all middleware before the routes. A fault there would answer every caller with 500, while
   * health checks, which bypass it, would succeed. Throws `unavailable`; the log has the reason.
   */
  async #checkItself(): Promise<void> {
    const app = this.#role === 'worker' ? this.workerApp : this.app
    const { status } = await app.fetch(new Request('http://localhost/ok'), SELF_CHECK)
    if (status < 500) return
    throw new AppError(
      'unavailable',
      `The agent server answers its own first request with ${status}, and so would every other.`,
    )
  }

  #connectHost(): () => void {
    const { host, store, events, items, onNode } = this.#parts
    const fetch: HostCalls['fetch'] = (request, { asProject = false, run_id: runId } = {}) =>
      this.#fetch(request, { ...(asProject ? AS_PROJECT : IN_PROCESS), runId })
    const checkpoints = settledCheckpoints(store.checkpoints, events)
    return host.connect({ checkpoints, items, onNode, fetch })
  }

  /** Answers an in-process request, which needs none of the server's keys. */
  async #fetch(request: Request, env: object = IN_PROCESS): Promise<Response> {
    return this.app.fetch(request, env)
  }

  async #work(): Promise<void> {
    const parts = this.#parts
    await registerSystemAssistants(parts, this.#graphConfigs)
    if (this.#stopping) return
    if (this.#role !== 'api') await this.#startQueue()
    if (this.#stopping) return
    parts.webhooks.start((request) => this.#fetch(request))
    parts.crons.start(() => fireDueCrons(parts))
    this.#housekeeping.start()
  }

  #startQueue(): Promise<void> {
    const parts = this.#parts
    return parts.queue.start({
      execute: (run, lease, signal, drain) => executeRun(parts, { run, lease }, signal, drain),
      onExhausted: (run, lease) => endExhausted(parts, run, lease),
    })
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
    await this.#parts.crons.stop()
    try {
      await this.#parts.queue.stop(limits)
    } finally {
      await this.#parts.webhooks.stop()
      await this.#parts.events.stop()
      this.#disconnect()
      this.#strays.stop()
      this.#outage.stop()
    }
  }
}

function cached(auth: ProjectAuth, { config, clock }: AgentServerOptions): ProjectAuth {
  const { cache } = config.auth ?? {}
  return cache ? withAuthCache(auth, cache, clock) : auth
}
