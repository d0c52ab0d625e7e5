/**
 * Hands pending runs to `execute`: claims them by lease, renews the leases, asks executions to stop.
 *
 * ```
 * claim ──▶ executing ──▶ ended by `execute` (it writes the end itself, under the lease)
 *               ├──▶ lease lost: another server has the run; further writes of `execute` are refused
 *               ├──▶ handed back: this server stops; the run is pending again, for any server
 *               └──▶ left: `execute` did not end it; its lease expires, and the attempt counts
 * ```
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { AgentStore } from '../core/agent/agent-store.ts'
import type { CancelAction, ClaimedRun } from '../core/agent/run.ts'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { Looks } from '../core/looks.ts'
import { type Notice, type Notices, noNotices } from '../core/notices.ts'
import { Claims } from './claims.ts'
import { Deadline } from './deadline.ts'
import type { Execute, Executed } from './execution.ts'
import { Executions } from './executions.ts'
import { Liveness, type OnExhausted, type ThisServer } from './liveness.ts'
import { Backlog, type Place, Places } from './places.ts'
import { Quarantine } from './quarantine.ts'
import { Ticker } from './ticker.ts'

export interface QueueParts {
  store: Pick<AgentStore, 'runs' | 'servers' | 'checkpoints'>
  server: ThisServer
  /** How many runs execute here at once. */
  concurrency: number
  /**
   * How long a lost server keeps its runs, in ms; 15,000 by default. Leases are renewed every third of
   * it.
   */
  leaseMs?: number
  /** How long a suspect executes alone, in ms; 30,000 by default. It doubles with each further attempt. */
  aloneMs?: number
  /**
   * How often to look for runs that another process added or released, in ms. Default: 250, or 1,000
   * while other processes send notices, or there are none.
   */
  pollMs?: number
  /** Whether processes that execute no runs, and so are not in the record of servers, add some. Default: no. */
  isFedByOthers?: boolean
  /** Whether to claim nothing for now, since runs would only fail. Call `wake` when that is over. Default: no. */
  isHeld?: () => boolean
  /** Sends notices to other servers, and gets theirs. Default: none. */
  notices?: Notices
  clock: Clock
  log: Log
}

/** What the queue does with claimed and with exhausted runs. */
export interface QueueWork {
  /**
   * Executes one run and writes its end. It must obey the signal, whose reason is a `StopReason`; the
   * signal may be aborted from the start. The queue calls it once for each claim.
   */
  execute: Execute
  onExhausted: OnExhausted
}

const DEFAULT_LEASE_MS = 15_000
/** Longer than it takes to notice that a run blocks the event loop at its start, in ms. */
const DEFAULT_ALONE_MS = 30_000
const DEFAULT_POLL_MS = 250
const QUIET_POLL_MS = 1_000
/** How often to look for dead servers, in ms. Leases are renewed at least as often. */
const SWEEP_MS = 1_000
/** How long an execution may take to stop before its run is handed back regardless, in ms. */
const ABORT_MS = 2_000

export class Queue {
  readonly #parts: QueueParts
  readonly #notices: Notices
  readonly #log: Log
  readonly #executions: Executions
  readonly #liveness: Liveness
  readonly #claims: Claims
  readonly #ticker: Ticker
  readonly #quarantine = new Quarantine()
  readonly #places: Places
  readonly #backlog = new Backlog()
  readonly #looks = new Looks((isPoll) => this.#lookOnce(isPoll))
  /** Cancels that came during a claim, which may be about a run of that claim. */
  readonly #earlyCancels = new Map<string, CancelAction>()
  /** The async context of the constructor: claimed runs must not inherit the context of the queue's caller. */
  readonly #outside = AsyncLocalStorage.snapshot()
  /** `undefined`: the queue claims nothing, since it is not started or is stopping. */
  #execute: Execute | undefined
  /** Whether to notify other servers of pending runs that this one cannot take. */
  #shouldPublish = false
  #unsubscribe = () => {}
  /** When runs are asked to stop at a checkpoint, and when they are stopped wherever they are. */
  readonly #graceDeadline = new Deadline()
  readonly #checkpointDeadline = new Deadline()
  #stopping: Promise<void> | undefined

  constructor(parts: QueueParts) {
    const { store, server, clock } = parts
    const leaseMs = parts.leaseMs ?? DEFAULT_LEASE_MS
    const log = parts.log.child({ part: 'queue', server_id: server.server_id })
    const onReleased = () => {
      this.#backlog.hint()
      this.wake()
    }
    const notices = parts.notices ?? noNotices
    this.#parts = parts
    this.#notices = notices
    this.#log = log
    const aloneMs = parts.aloneMs ?? DEFAULT_ALONE_MS
    this.#executions = new Executions({
      store,
      leaseMs,
      aloneMs,
      onAloneOver: () => this.#quarantine.over(clock.now()),
      clock,
      log,
    })
    const liveness = new Liveness({ store, server, onReleased, clock, log })
    this.#liveness = liveness
    this.#claims = new Claims({ store, server, liveness, notices, leaseMs, log })
    const { server_id } = server
    this.#places = new Places({ server_id, leaseMs, clock }, (claimed, leaseExpiresAt) =>
      this.#outside(() => this.#beginAdded(claimed, leaseExpiresAt)),
    )
    this.#ticker = new Ticker(Math.min(SWEEP_MS, leaseMs / 3), () => this.#tick(), log)
  }

  /** Registers the server, frees the runs of dead ones, and begins to claim. Does nothing after `stop`. */
  async start({ execute, onExhausted }: QueueWork): Promise<void> {
    if (this.#stopping) return
    await this.#liveness.start(onExhausted)
    if (this.#stopping) return this.#liveness.stop()
    await this.#lookForSuspects()
    this.#execute = execute
    this.#unsubscribe = this.#notices.subscribe((notice) => this.#onNotice(notice))
    this.#ticker.start()
    this.#backlog.hint()
    this.wake()
  }

  /** How many runs execute here, and how many may. `isFull`: no further run starts here at present. */
  get load(): { running: number; capacity: number; isFull: boolean } {
    const { size, areAlone } = this.#executions
    const { concurrency: capacity } = this.#parts
    const isFull = size >= capacity || areAlone || this.#quarantine.holdsBack
    return { running: size, capacity, isFull }
  }

  /**
   * Claims no more runs and waits up to `graceMs` for those that execute here. Then it asks them to stop at their next
   * checkpoint, and after `checkpointMs` (default 0) stops them wherever they are. It hands them back, and another
   * server may take them at once. A further call can only shorten the time.
   */
  stop({ graceMs, checkpointMs = 0 }: { graceMs: number; checkpointMs?: number }): Promise<void> {
    this.#graceDeadline.within(graceMs)
    this.#checkpointDeadline.within(graceMs + checkpointMs)
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  /**
   * Looks for runs now. Other servers look too when this one has no room or not every graph. Call it
   * after the commit that added or ended a run.
   */
  wake(): void {
    this.#shouldPublish = true
    this.#look()
  }

  /**
   * Reserves a place for a due run of this graph that is about to be added, until `begin` or `leave`. `undefined`: no
   * place is available, or an older run may want it; the run has to be added as pending.
   */
  reserve(graph_id: string): Place | undefined {
    const { graphs } = this.#parts.server
    if (this.#isHeld) return undefined
    const mayOthersWait = this.#backlog.mayWait || this.#quarantine.isWaitedFor
    const isForeign = graphs !== undefined && !graphs.includes(graph_id)
    if (mayOthersWait || isForeign || this.#room <= this.#claims.asked) return undefined
    return this.#places.reserve()
  }

  /** Whether the run executes in this process, with a lease that is not known to be lost. */
  isRunning(run_id: string): boolean {
    return this.#executions.find(run_id) !== undefined
  }

  /**
   * Asks the run to stop if it executes here. `false`: it does not. Then the server that executes it gets a notice; in
   * any case it sees the stored `requestCancel` when it renews the lease, within a second.
   */
  cancelLocal(run_id: string, action: CancelAction): boolean {
    const execution = this.#executions.find(run_id)
    execution?.stop({ kind: 'cancelled', action })
    const mayBegin = this.#looks.isRunning || this.#places.size > 0
    if (!execution && mayBegin) this.#earlyCancels.set(run_id, action)
    if (!execution) this.#notices.publish({ kind: 'cancel', run_id })
    return execution !== undefined
  }

  #onNotice(notice: Notice): void {
    if (notice.kind === 'run_waits' || notice.kind === 'missed') {
      this.#backlog.hint()
      this.#look()
    }
    const isHere = notice.kind === 'cancel' && this.isRunning(notice.run_id)
    if (isHere || notice.kind === 'missed') void this.#executions.renew()
  }

  #look(): void {
    if (!this.#isAccepting) {
      this.#publishIfForOthers()
      return
    }
    this.#looks.request()
  }

  get #isAccepting(): boolean {
    return this.#execute !== undefined
  }

  /**
   * There is room again, and the next run of the thread may be claimed: by other servers, if not by this one. Mostly
   * nothing waits, and a look costs as much as all reads of a run.
   */
  #onDone({ isNextWaiting }: Pick<Executed, 'isNextWaiting'>): void {
    const mayWait = isNextWaiting || this.#backlog.mayWait || this.#quarantine.isWaitedFor
    if (this.#isAccepting && !mayWait) return
    if (this.#isAccepting && !this.#mayNeedOthers) this.#look()
    else this.wake()
  }

  #publishIfForOthers(): void {
    const isForOthers = this.#room <= 0 || this.#mayNeedOthers
    if (this.#shouldPublish && isForOthers) this.#notices.publish({ kind: 'run_waits' })
    this.#shouldPublish = false
  }

  /** A pending run may be of a graph that only another server has. */
  get #mayNeedOthers(): boolean {
    return this.#liveness.foreignGraphs.length > 0
  }

  get #pollMs(): number {
    const { pollMs, isFedByOthers = false } = this.#parts
    const isQuiet = this.#notices.isConnected || (this.#liveness.isAlone && !isFedByOthers)
    return pollMs ?? (isQuiet ? QUIET_POLL_MS : DEFAULT_POLL_MS)
  }

  /** Returns the time until the next look, in ms. */
  async #lookOnce(isPoll: boolean): Promise<number> {
    if (isPoll) this.#backlog.hint()
    const nextMs = await this.#claimAll(isPoll)
    // Runs that are claimed from now on have the cancel in their rows.
    this.#earlyCancels.clear()
    this.#publishIfForOthers()
    return nextMs
  }

  /** Whether any run is pending. For looks without a request: finding none costs a tenth of a claim. */
  async #isAnyPending(): Promise<boolean> {
    const sawAll = this.#backlog.look()
    const dueAt = await this.#parts.store.runs.nextDue(0)
    if (dueAt === undefined) sawAll()
    return dueAt !== undefined
  }

  /** Claims as many runs as there is room for. Returns the time until the next look, in ms. */
  async #claimAll(isPoll: boolean): Promise<number> {
    const mayBeNone = isPoll && !this.#quarantine.isWaitedFor
    try {
      if (mayBeNone && !(await this.#isAnyPending())) return this.#pollMs
      while (this.#room > 0 && !this.#isHeld) {
        const now = this.#parts.clock.now()
        if (!(await this.#claim(now))) return await this.#untilNextDue(now)
      }
      this.#backlog.hint()
      return this.#pollMs
    } catch (error) {
      this.#log.error({ err: error }, 'could not look for runs; it is tried again')
      return this.#pollMs
    }
  }

  get #isHeld(): boolean {
    return this.#parts.isHeld?.() ?? false
  }

  /** How many more runs may execute here. */
  get #room(): number {
    const { size, areAlone } = this.#executions
    const taken = size + this.#places.size
    return this.#isAccepting && !areAlone ? this.#parts.concurrency - taken : 0
  }

  async #untilNextDue(claimedAt: number): Promise<number> {
    const { store, clock } = this.#parts
    const dueAt = await store.runs.nextDue(claimedAt)
    return dueAt === undefined
      ? this.#pollMs
      : Math.min(this.#pollMs, Math.max(1, dueAt - clock.now()))
  }

  /** Claims once. `false`: there are no more runs, or those that execute have to end first. */
  async #claim(now: number): Promise<boolean> {
    if (this.#quarantine.holdsBack) {
      this.#backlog.hint()
      return this.#claimSuspect(now)
    }
    const sawAll = this.#backlog.look()
    const { claimed, leaseExpiresAt, areAll } = await this.#claims.take(now, this.#room, 'others')
    await Promise.all(claimed.map((one) => this.#begin(one, leaseExpiresAt)))
    if (areAll) sawAll()
    if (areAll && claimed.length === 0) await this.#claimSuspect(now)
    return !areAll
  }

  /** Claims a suspect if nothing executes. `true`: no suspect is left to make room for. */
  async #claimSuspect(now: number): Promise<boolean> {
    const areOthers = this.#executions.size + this.#places.size > 0
    if (!this.#quarantine.isWaitedFor || areOthers) return false
    const { claimed, leaseExpiresAt, areAll } = await this.#claims.take(now, 1, 'suspects')
    for (const one of claimed) {
      const { run_id, thread_id, attempt } = one.run
      this.#log.warn(
        { run_id, thread_id, attempt },
        'a run that has lost its servers executes alone',
      )
      this.#quarantine.begin(now)
      await this.#begin(one, leaseExpiresAt)
    }
    if (areAll) this.#quarantine.note(false, now)
    return areAll
  }

  async #lookForSuspects(): Promise<void> {
    const now = this.#parts.clock.now()
    this.#quarantine.note(await this.#claims.hasSuspect(now), now)
  }

  /** Never rejects. */
  async #beginAdded(claimed: ClaimedRun, leaseExpiresAt: number): Promise<void> {
    try {
      await this.#begin(claimed, leaseExpiresAt)
    } catch (err) {
      const { run_id } = claimed.run
      this.#log.error({ run_id, err }, 'could not hand the run back; its lease runs out')
    }
  }

  async #begin(claimed: ClaimedRun, leaseExpiresAt: number): Promise<void> {
    const execute = this.#execute
    if (!execute) {
      await this.#parts.store.runs.giveBack(claimed.lease)
      return
    }
    const held = { ...claimed, leaseExpiresAt }
    const execution = this.#executions.add(held, execute, (what) => this.#onDone(what))
    const action = this.#earlyCancels.get(execution.run_id)
    if (action) execution.stop({ kind: 'cancelled', action })
  }

  async #tick(): Promise<void> {
    // The order matters: after a pause of the whole process our own leases must be renewed, not released.
    await this.#executions.renew()
    await this.#liveness.sweep()
    if (!this.#isAccepting || this.#executions.areAlone) return
    await this.#lookForSuspects()
    if (this.#quarantine.isWaitedFor) this.#look()
  }

  async #stop(): Promise<void> {
    this.#execute = undefined
    await this.#looks.stop()
    await this.#untilAbort(this.#places.settle())
    await this.#settle()
    await this.#executions.handBackAll()
    this.#unsubscribe()
    this.#notices.publish({ kind: 'run_waits' })
    await this.#ticker.stop()
    await this.#liveness.stop()
  }

  async #settle(): Promise<void> {
    await this.#executions.settleBefore(this.#graceDeadline.passed)
    await this.#executions.stopAtCheckpoints(this.#checkpointDeadline.passed)
    for (const deadline of [this.#graceDeadline, this.#checkpointDeadline]) deadline.clear()
    this.#executions.stopAll({ kind: 'shutdown' })
    await this.#untilAbort(this.#executions.settled())
  }

  /** Waits at most `ABORT_MS`. */
  async #untilAbort(settled: Promise<unknown>): Promise<void> {
    const last = new Deadline()
    last.within(ABORT_MS)
    await Promise.race([settled, last.passed])
    last.clear()
  }
}
