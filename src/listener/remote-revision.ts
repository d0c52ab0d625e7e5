/** A revision that a listener runs: its order, the listener's last report, and the open waits. */
import { randomUUID } from 'node:crypto'
import type { ParkedThreads } from '../core/agent/parked-threads.ts'
import type {
  ReportedRevision,
  RevisionOrder,
  RunOrder,
  ScaleOrder,
} from '../core/deployment/listener-protocol.ts'
import type { DrainLimits, Endpoint, Replica, RuntimeState } from '../core/deployment/runtime.ts'
import { AppError } from '../core/errors.ts'
import { isAgentReading, type ServerReading } from '../core/figures/reading.ts'
import { Errands } from './errands.ts'

/** How long to wait for an answer about agent servers, in ms. */
const ANSWER_MS = 15_000
/** How long the listener may take to activate a standby, in ms. */
const ACTIVATE_MS = 10_000
/** The same for a revision that was taken over, without a caller that waits. */
const ADOPT_MS = 120_000
/** How long a stop may take beyond its limits, in ms; then it goes on unwatched. */
const STOP_BEYOND_MS = 8_000

export type Start = NonNullable<RunOrder['start']>

interface RemoteRevisionOptions {
  revision_id: string
  deployment_id: string
  /** Absent: the listener has it already. */
  start?: Start
  /** Whether it may run there since before this process led. */
  mayAdopt: boolean
  /** The listener's state as known here. */
  listener: ListenerState
  onChange: () => void
}

export interface ListenerState {
  /** A sentence, when it has not been heard from for a while. */
  readonly away: string | undefined
  /** Sends the listener what has changed here; returns the number of the version that has it. */
  renew(): number
}

/** No wait takes longer than its limit, or goes on while the listener is away. */
export class RemoteRevision {
  readonly deployment_id: string
  readonly #options: RemoteRevisionOptions
  readonly #start: Start | undefined
  readonly #errands: Errands
  #incarnation: string
  #mayAdopt: boolean
  /** Whether the listener has reported this very incarnation. */
  #isConfirmed = false
  #state: RuntimeState = { kind: 'starting' }
  #replicas: readonly Replica[] = []
  /** The latest reported state, and its session. */
  #heard = { session: '', number: 0 }
  #scale: ScaleOrder | undefined
  /** The addresses of retired agent servers that the listener still reports as endpoints. */
  #retiring = new Set<string>()
  #stop: { graceMs: number; since: number; ended: PromiseWithResolvers<void> } | undefined

  constructor(options: RemoteRevisionOptions) {
    this.#options = options
    this.#start = options.start
    const { listener } = options
    const isAway = () => listener.away !== undefined
    this.#errands = new Errands(isAway, () => listener.renew())
    this.deployment_id = options.deployment_id
    this.#incarnation = randomUUID()
    this.#mayAdopt = options.mayAdopt
  }

  get isStopping(): boolean {
    return this.#stop !== undefined
  }

  get state(): RuntimeState {
    const { away } = this.#options.listener
    if (this.#isConfirmed || away === undefined || this.#state.kind !== 'starting')
      return this.#state
    return { kind: 'starting', reason: away }
  }

  get replicas(): Replica[] {
    const { state } = this
    if (this.#replicas.length > 0) return this.#replicas.slice(0, this.#scale?.replicas)
    if (state.kind !== 'starting') return []
    return [{ state: 'starting', since: 0, restarts: 0, reason: state.reason ?? null, load: null }]
  }

  /** The listener's order for it. */
  get order(): RevisionOrder {
    const { revision_id, deployment_id } = this.#options
    const which = { revision_id, deployment_id }
    if (this.#stop) return { kind: 'stop', ...which, grace_ms: this.#stop.graceMs }
    return {
      ...{ kind: 'run', ...which, incarnation: this.#incarnation, errands: this.#errands.list() },
      ...(this.#start && { start: this.#start }),
      ...(this.#scale && { scale: this.#scale }),
    }
  }

  /** Takes the listener's report. `session`: the process of the listener that sent it. */
  note(reported: ReportedRevision, session: string): void {
    if (this.#stop || !this.#recognise(reported)) return
    for (const { id, value } of reported.done) this.#errands.settle(id, value)
    this.#replicas = reported.replicas
    if (this.#heard.session !== session) this.#heard = { session, number: 0 }
    for (const { number, state } of reported.states) {
      if (number <= this.#heard.number) continue
      this.#heard.number = number
      this.#setState(state)
    }
  }

  /**
   * The listener, at the version of that number, does not report it. Returns whether there is no such revision any
   * more.
   */
  noteAbsent(version: number): boolean {
    if (this.#stop) {
      if (version >= this.#stop.since) this.#stop.ended.resolve()
      return false
    }
    if (this.#start) this.#isConfirmed = false
    else this.#errands.giveUp()
    return this.#start === undefined
  }

  /** The listener is away: no wait goes on. */
  noteAway(): void {
    this.#errands.giveUp()
    this.#stop?.ended.resolve()
    if (!this.#isConfirmed) this.#options.onChange()
  }

  async readings(): Promise<ServerReading[]> {
    if (this.#state.kind !== 'healthy') return []
    const value = await this.#errands.ask({ kind: 'readings' }, ANSWER_MS)
    if (!Array.isArray(value)) return []
    return value.filter(
      (one) => isAgentReading(one) && typeof (one as ServerReading).url === 'string',
    )
  }

  async inspect(): Promise<ParkedThreads | undefined> {
    if (this.#state.kind !== 'healthy') return undefined
    const value = await this.#errands.ask({ kind: 'inspect' }, ANSWER_MS)
    return isParkedThreads(value) ? value : undefined
  }

  /** Throws `unavailable` when the listener has not done it in time. */
  async activate(): Promise<void> {
    if ((await this.#errands.do({ kind: 'activate' }, ACTIVATE_MS)) || this.#stop) return
    throw new AppError(
      'unavailable',
      this.#options.listener.away ?? 'The listener has not made the revision active yet.',
    )
  }

  scale(replicas: number, retire: (endpoint: Endpoint | undefined) => Promise<void>): void {
    if (this.#scale?.replicas === replicas) return
    const excess = endpointsOf(this.#state).slice(replicas)
    const scale = { id: randomUUID(), replicas, may_end: excess.length === 0 }
    this.#scale = scale
    this.#retiring = new Set([...this.#retiring, ...excess.map(({ url }) => url)])
    this.#setState(this.#state)
    this.#options.listener.renew()
    void Promise.allSettled(excess.map(retire)).then(() => {
      scale.may_end = true
      this.#options.listener.renew()
    })
  }

  async drain(limits: DrainLimits): Promise<number | undefined> {
    const limitMs = limits.graceMs + limits.checkpointMs + ANSWER_MS
    const due = await this.#errands.ask({ kind: 'drain', limits }, limitMs)
    return typeof due === 'number' && Number.isFinite(due) ? due : undefined
  }

  /** Resolves when the listener's gateway has no request to it open any more. */
  async drainRequests(limitMs: number, graceMs: number | undefined): Promise<void> {
    const limits = { limit_ms: limitMs, ...(graceMs !== undefined && { grace_ms: graceMs }) }
    await this.#errands.do({ kind: 'drain_requests', ...limits }, limitMs + (graceMs ?? 600_000))
  }

  async stop(graceMs: number): Promise<void> {
    this.#errands.giveUp()
    const ended = this.#stop?.ended ?? Promise.withResolvers<void>()
    this.#stop = { graceMs, since: 0, ended }
    this.#stop.since = this.#options.listener.renew()
    if (this.#options.listener.away !== undefined) return
    const timer = setTimeout(ended.resolve, graceMs + STOP_BEYOND_MS)
    await ended.promise
    clearTimeout(timer)
  }

  /** Whether it is of this incarnation. A revision from before this process led is taken as it is, unless it failed. */
  #recognise({ incarnation, states }: ReportedRevision): boolean {
    const { kind } = states.at(-1)?.state ?? { kind: 'absent' }
    // It is about to be started there.
    if (this.#start && kind === 'absent') return false
    if (incarnation === this.#incarnation) return this.#confirm()
    // A revision that failed before is to be started again.
    if (this.#start && kind === 'failed') return false
    if (incarnation === null && this.#isConfirmed) return true
    if (!this.#mayAdopt) return false
    this.#mayAdopt = false
    this.#incarnation = incarnation ?? this.#incarnation
    // The previous leader may have ended before that was done.
    if (this.#start && !this.#start.spec.isStandby) {
      void this.#errands.do({ kind: 'activate' }, ADOPT_MS)
    }
    return this.#confirm()
  }

  #confirm(): true {
    this.#isConfirmed = true
    return true
  }

  #setState(said: RuntimeState): void {
    const endpoints = endpointsOf(said)
    for (const url of this.#retiring) {
      if (!endpoints.some((one) => one.url === url)) this.#retiring.delete(url)
    }
    const [first, ...others] = endpoints.filter(({ url }) => !this.#retiring.has(url))
    const state: RuntimeState = first ? { kind: 'healthy', endpoints: [first, ...others] } : said
    const isSame = JSON.stringify(state) === JSON.stringify(this.#state)
    this.#state = state
    if (!isSame) this.#options.onChange()
  }
}

function endpointsOf(state: RuntimeState): readonly Endpoint[] {
  return state.kind === 'healthy' ? state.endpoints : []
}

function isParkedThreads(value: unknown): value is ParkedThreads {
  if (typeof value !== 'object' || value === null) return false
  const { checked_at, parked, broken, threads } = value as Partial<ParkedThreads>
  const isCounted = typeof parked === 'number' && typeof broken === 'number'
  return typeof checked_at === 'string' && isCounted && Array.isArray(threads)
}
