/** The runs that execute in this process, and their leases. */
import { setTimeout as delay } from 'node:timers/promises'
import type { AgentStore } from '../core/agent/agent-store.ts'
import { suspectAttempt } from '../core/agent/retry.ts'
import type { Lease, LeaseState, QueuedRun } from '../core/agent/run.ts'
import type { Clock } from '../core/clock.ts'
import { HostAway, HostLost } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { type Execute, type Executed, Execution, type StopReason } from './execution.ts'

type OnDone = (what: Pick<Executed, 'isNextWaiting'>) => void

interface ExecutionsParts {
  store: Pick<AgentStore, 'runs' | 'checkpoints'>
  leaseMs: number
  /** How long a suspect executes alone the first time, in ms. */
  aloneMs: number
  /** Called when a suspect no longer executes alone. */
  onAloneOver: () => void
  clock: Clock
  log: Log
}

/** How long to wait after the database has refused a write, in ms. */
const RETRY_MS = 1_000
/** How often a stopping server looks for a run's next checkpoint, in ms. */
const LOOK_MS = 20
/** The longest time that `setTimeout` takes, in ms. */
const MAX_TIMER_MS = 2 ** 31 - 1

export class Executions {
  readonly #parts: ExecutionsParts
  /** Each execution with a promise that settles when it is over. The promise never rejects. */
  readonly #all = new Map<Execution, Promise<void>>()
  /** The latest execution of each run. Stream readers look it up for each event. */
  readonly #ofRuns = new Map<string, Execution>()

  constructor(parts: ExecutionsParts) {
    this.#parts = parts
  }

  get size(): number {
    return this.#all.size
  }

  /** Whether a run executes here that must execute alone. */
  get areAlone(): boolean {
    return [...this.#all.keys()].some((one) => one.isAlone)
  }

  /** Finds the run's execution, unless its lease is known to be lost. */
  find(run_id: string): Execution | undefined {
    const execution = this.#ofRuns.get(run_id)
    return execution && isHeld(execution) ? execution : undefined
  }

  /**
   * Starts to execute a run. Calls `onDone` when there is room again: when a suspect no longer executes
   * alone, and at the end, with whether another run of the thread waits.
   */
  add(
    claimed: { run: QueuedRun; lease: Lease; leaseExpiresAt: number },
    execute: Execute,
    onDone: OnDone,
  ): Execution {
    const execution = new Execution(claimed, execute, this.#parts.store.runs.maxAttempts)
    this.#ofRuns.set(execution.run_id, execution)
    this.#all.set(execution, this.#settle(execution, onDone))
    if (execution.isAlone) this.#clearAfter(this.#aloneMsOf(execution), execution, onDone)
    return execution
  }

  /** Renews the leases. Stops the runs that lost theirs or were cancelled. */
  async renew(): Promise<void> {
    const held = this.#held()
    if (held.length === 0) return
    const { store, clock, leaseMs, log } = this.#parts
    const expiresAt = clock.now() + leaseMs
    try {
      const leases = held.map((one) => one.lease)
      const states = await store.runs.renew(leases, expiresAt)
      for (const [index, execution] of held.entries())
        applyState(execution, states[index], expiresAt)
    } catch (error) {
      log.error({ err: error }, 'could not renew the leases; it is tried again')
      this.#stopOverdue(held)
    }
  }

  stopAll(reason: StopReason): void {
    for (const execution of this.#all.keys()) execution.stop(reason)
  }

  /** Settles when everything that executes now has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#all.values())
  }

  /** Waits for that, or until `limit` settles. */
  async settleBefore(limit: Promise<void>): Promise<void> {
    if (this.#all.size === 0) return
    await Promise.race([this.settled(), limit])
  }

  /**
   * Asks each run to stop before its next step. A run that cannot be asked is stopped after its next checkpoint, so
   * that its work until then is not repeated. Waits like `settleBefore`.
   */
  async stopAtCheckpoints(limit: Promise<void>): Promise<void> {
    const over = new AbortController()
    for (const execution of this.#all.keys()) void this.#stopAtCheckpoint(execution, over)
    await this.settleBefore(limit)
    over.abort()
  }

  /** Gives up the leases of all runs that still execute. From now on their writes are refused. */
  async handBackAll(): Promise<void> {
    for (const execution of this.#all.keys()) await this.#handBack(execution)
  }

  async #stopAtCheckpoint(execution: Execution, { signal }: AbortController): Promise<void> {
    if (execution.drain()) return
    try {
      await this.#nextCheckpoint(execution, signal)
      if (!signal.aborted) execution.stop({ kind: 'shutdown' })
    } catch (error) {
      this.#parts.log.warn(
        { run_id: execution.run_id, err: error },
        'no checkpoint could be awaited',
      )
    }
  }

  /** Resolves when the thread's root graph has a new checkpoint, or the signal aborts. */
  async #nextCheckpoint({ thread_id }: Execution, signal: AbortSignal): Promise<void> {
    const { checkpoints } = this.#parts.store
    const before = await checkpoints.latestId(thread_id)
    while (!signal.aborted && (await checkpoints.latestId(thread_id)) === before) {
      await delay(LOOK_MS, undefined, { signal }).catch(() => {})
    }
  }

  /**
   * How long a suspect executes alone. The time doubles with each attempt, to find runs that take long to crash their
   * server.
   */
  #aloneMsOf({ attempt }: Execution): number {
    const { aloneMs, store } = this.#parts
    const doublings = attempt - suspectAttempt(store.runs.maxAttempts)
    return Math.min(aloneMs * 2 ** doublings, MAX_TIMER_MS)
  }

  #clearAfter(ms: number, execution: Execution, onDone: OnDone): void {
    const timer = setTimeout(() => this.#clear(execution, onDone), ms)
    void execution.settled.then(() => clearTimeout(timer))
  }

  async #clear(execution: Execution, onDone: OnDone): Promise<void> {
    const { store, log } = this.#parts
    const { run_id, lease } = execution
    try {
      if (!(await store.runs.clear(lease))) return
      log.info({ run_id }, 'the run has executed alone for long enough')
      this.#endQuarantine(execution)
      onDone({ isNextWaiting: false })
    } catch (error) {
      log.error(
        { run_id, err: error },
        'could not note that other runs may execute beside this one; it is tried again',
      )
      this.#clearAfter(RETRY_MS, execution, onDone)
    }
  }

  #endQuarantine(execution: Execution): void {
    if (!execution.isAlone) return
    execution.isAlone = false
    this.#parts.onAloneOver()
  }

  #held(): Execution[] {
    return [...this.#all.keys()].filter(isHeld)
  }

  /** Stops the runs whose leases could not be renewed in time: another server may have taken them. */
  #stopOverdue(held: Execution[]): void {
    const now = this.#parts.clock.now()
    const overdue = held.filter((one) => one.leaseExpiresAt <= now)
    for (const execution of overdue) execution.stop({ kind: 'lease_lost' })
  }

  async #settle(execution: Execution, onDone: OnDone): Promise<void> {
    const executed = await execution.settled
    const { isEnded, isNextWaiting } = executed
    try {
      if (!isEnded) await this.#check(execution, executed)
    } catch (failure) {
      this.#parts.log.error({ run_id: execution.run_id, err: failure }, 'could not check the run')
    }
    this.#all.delete(execution)
    if (this.#ofRuns.get(execution.run_id) === execution) this.#ofRuns.delete(execution.run_id)
    this.#endQuarantine(execution)
    onDone({ isNextWaiting })
  }

  /** Handles an execution that is over although its run has not ended. */
  async #check(
    execution: Execution,
    { isHandedBack, error }: { isHandedBack?: boolean; error?: unknown },
  ): Promise<void> {
    const { run_id, lease, stopReason } = execution
    if (stopReason?.kind === 'lease_lost') return
    const isUntouched = isHandedBack || stopReason?.kind === 'shutdown' || error instanceof HostAway
    if (isUntouched) return this.#handBack(execution)
    if (error instanceof HostLost) return this.#expire(execution)
    if (!(await this.#parts.store.runs.holds(lease))) return
    // The run is not handed back: each claim of a run that cannot be executed has to count.
    this.#parts.log.error(
      { run_id, err: error },
      'the execution did not end its run; it is taken up again when its lease runs out',
    )
  }

  /** The run's graph host has died, and this server has not: the run is taken up again as after a server's death. */
  async #expire(execution: Execution): Promise<void> {
    const { run_id, lease } = execution
    // The lease must not be renewed meanwhile.
    execution.stop({ kind: 'lease_lost' })
    if (await this.#parts.store.runs.expire(lease)) {
      this.#parts.log.debug({ run_id }, 'the run has lost its host; it is taken up again')
    }
  }

  async #handBack(execution: Execution): Promise<void> {
    const { store, log } = this.#parts
    const { run_id, lease } = execution
    try {
      if (await store.runs.giveBack(lease)) log.info({ run_id }, 'handed the run back')
    } catch (error) {
      log.error({ run_id, err: error }, 'could not hand the run back; its lease runs out')
    }
  }
}

function isHeld({ stopReason }: Execution): boolean {
  return stopReason?.kind !== 'lease_lost'
}

function applyState(execution: Execution, state: LeaseState | undefined, expiresAt: number): void {
  if (!state?.held) {
    execution.stop({ kind: 'lease_lost' })
    return
  }
  execution.leaseExpiresAt = expiresAt
  if (state.cancel_action) execution.stop({ kind: 'cancelled', action: state.cancel_action })
}
