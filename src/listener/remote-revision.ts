/**
 * A revision that a listener runs: its order, the steps that `next-remote-step.ts` names after a report, and the open
 * waits.
 */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { isParkedThreads, type ParkedThreads } from '../core/agent/parked-threads.ts'
import type { RevisionOrder, RunOrder } from '../core/deployment/listener-protocol.ts'
import type { DrainLimits, Endpoint, Replica, RuntimeState } from '../core/deployment/runtime.ts'
import { AppError } from '../core/errors.ts'
import { isAgentReading, type ServerReading } from '../core/figures/reading.ts'
import { Errands, type ListenerState } from './errands.ts'
import { afterState, endpointsOf, nextRemoteStep, type RemoteState } from './next-remote-step.ts'

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

/** No wait takes longer than its limit, or goes on while the listener is away. */
export class RemoteRevision {
  readonly deployment_id: string
  readonly #options: RemoteRevisionOptions
  readonly #errands: Errands
  readonly #ended = Promise.withResolvers<void>()
  #known: RemoteState

  constructor(options: RemoteRevisionOptions) {
    this.#options = options
    this.deployment_id = options.deployment_id
    const { listener, start, mayAdopt } = options
    this.#errands = new Errands(listener)
    this.#known = {
      ...(start && { start: { isStandby: start.spec.isStandby ?? false } }),
      ...{ incarnation: randomUUID(), mayAdopt, isConfirmed: false },
      ...{ state: { kind: 'starting' }, replicas: [], retiring: [] },
      heard: { session: '', number: 0 },
    }
  }

  get isStopping(): boolean {
    return this.#known.stop !== undefined
  }

  get state(): RuntimeState {
    const { away } = this.#options.listener
    const { isConfirmed, state } = this.#known
    if (isConfirmed || away === undefined || state.kind !== 'starting') return state
    return { kind: 'starting', reason: away }
  }

  get replicas(): Replica[] {
    const { state } = this
    const { replicas, scale } = this.#known
    if (replicas.length > 0) return replicas.slice(0, scale?.replicas)
    if (state.kind !== 'starting') return []
    return [{ state: 'starting', since: 0, restarts: 0, reason: state.reason ?? null, load: null }]
  }

  /** The listener's order for it. */
  get order(): RevisionOrder {
    const { revision_id, deployment_id, start } = this.#options
    const { stop, incarnation, scale } = this.#known
    const which = { revision_id, deployment_id }
    if (stop) return { kind: 'stop', ...which, grace_ms: stop.graceMs }
    return {
      ...{ kind: 'run', ...which, incarnation, errands: this.#errands.list() },
      ...(start && { start }),
      ...(scale && { scale }),
    }
  }

  /** Takes what the listener reports of it. Returns whether there is no such revision any more. */
  note(heard: Parameters<typeof nextRemoteStep>[1]): boolean {
    for (;;) {
      const step = nextRemoteStep(this.#known, heard)
      if (!step) return false
      switch (step.kind) {
        case 'confirm':
          this.#set({ isConfirmed: true })
          break
        case 'adopt':
          this.#set({ isConfirmed: true, mayAdopt: false, incarnation: step.incarnation })
          if (step.activates) void this.#errands.run({ kind: 'activate' }, ADOPT_MS)
          break
        case 'follow':
          this.#follow(step)
          break
        case 'unconfirm':
          this.#set({ isConfirmed: false })
          break
        case 'forget':
          this.#errands.giveUp()
          return true
        case 'end':
          this.#end()
      }
    }
  }

  /** The listener is away: no wait goes on. */
  noteAway(): void {
    this.#errands.giveUp()
    this.#end()
    if (!this.#known.isConfirmed) this.#options.onChange()
  }

  async readings(): Promise<ServerReading[]> {
    if (this.#known.state.kind !== 'healthy') return []
    const { value } = await this.#errands.run({ kind: 'readings' }, ANSWER_MS)
    if (!Array.isArray(value)) return []
    return value.filter(
      (one) => isAgentReading(one) && typeof (one as ServerReading).url === 'string',
    )
  }

  async inspect(): Promise<ParkedThreads | undefined> {
    if (this.#known.state.kind !== 'healthy') return undefined
    const { value } = await this.#errands.run({ kind: 'inspect' }, ANSWER_MS)
    return isParkedThreads(value) ? value : undefined
  }

  /** Throws `unavailable` when the listener has not done it in time. */
  async activate(): Promise<void> {
    const { isDone } = await this.#errands.run({ kind: 'activate' }, ACTIVATE_MS)
    if (isDone || this.isStopping) return
    throw new AppError(
      'unavailable',
      this.#options.listener.away ?? 'The listener has not made the revision active yet.',
    )
  }

  scale(replicas: number, retire: (endpoint: Endpoint | undefined) => Promise<void>): void {
    const { scale: before, state, retiring } = this.#known
    if (before?.replicas === replicas) return
    const excess = endpointsOf(state).slice(replicas)
    const scale = { id: randomUUID(), replicas, may_end: excess.length === 0 }
    this.#set({ scale, retiring: [...retiring, ...excess.map(({ url }) => url)] })
    this.#setState(state)
    this.#options.listener.renew()
    void Promise.allSettled(excess.map(retire)).then(() => {
      scale.may_end = true
      this.#options.listener.renew()
    })
  }

  async drain(limits: DrainLimits): Promise<number | undefined> {
    const limitMs = limits.graceMs + limits.checkpointMs + ANSWER_MS
    const { value: due } = await this.#errands.run({ kind: 'drain', limits }, limitMs)
    return typeof due === 'number' && Number.isFinite(due) ? due : undefined
  }

  /** Resolves when the listener's gateway has no request to it open any more. */
  async drainRequests(limitMs: number, graceMs: number | undefined): Promise<void> {
    const limits = { limit_ms: limitMs, ...(graceMs !== undefined && { grace_ms: graceMs }) }
    await this.#errands.run({ kind: 'drain_requests', ...limits }, limitMs + (graceMs ?? 600_000))
  }

  async stop(graceMs: number): Promise<void> {
    const { listener } = this.#options
    this.#errands.giveUp()
    this.#set({ stop: { graceMs, since: listener.renew(), hasEnded: false } })
    if (listener.away !== undefined) return
    const timer = setTimeout(this.#ended.resolve, graceMs + STOP_BEYOND_MS)
    await this.#ended.promise
    clearTimeout(timer)
  }

  /** Each state is reported by itself: callers wait for some of them. */
  #follow({
    reported,
    session,
    states,
  }: Extract<ReturnType<typeof nextRemoteStep>, { kind: 'follow' }>): void {
    for (const { id, value } of reported.done) this.#errands.settle(id, value)
    const number = reported.states.at(-1)?.number ?? 0
    this.#set({ followed: reported, replicas: reported.replicas, heard: { session, number } })
    for (const state of states) this.#setState(state)
  }

  #end(): void {
    const { stop } = this.#known
    if (!stop) return
    this.#set({ stop: { ...stop, hasEnded: true } })
    this.#ended.resolve()
  }

  #setState(said: RuntimeState): void {
    const before = this.#known.state
    this.#known = afterState(this.#known, said)
    if (!isDeepStrictEqual(this.#known.state, before)) this.#options.onChange()
  }

  #set(change: Partial<RemoteState>): void {
    this.#known = { ...this.#known, ...change }
  }
}
