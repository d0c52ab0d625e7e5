/**
 * Keeps one agent server of a revision running: `starting` → `healthy` → `restarting` → `healthy` … until it is
 * stopped; or `starting` → `failed`. The drawing is in `core/deployment/runtime.ts`.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { ParkedThreads } from '../../core/agent/parked-threads.ts'
import type { Clock } from '../../core/clock.ts'
import { ownLine } from '../../core/deployment/log-source.ts'
import type { DrainLimits, Endpoint, Load, Replica } from '../../core/deployment/runtime.ts'
import { AppError } from '../../core/errors.ts'
import type { AgentReading, ServerReading } from '../../core/figures/reading.ts'
import type { Log } from '../../core/log.ts'
import { type Backoff, keepRunning } from '../../process/restarts.ts'
import type { DeployLog } from '../deploy-log.ts'
import { type HealthCheck, waitUntilHealthy, waitUntilHung } from './health.ts'
import { explain, lateStart } from './last-words.ts'
import type { Hearing } from './revision-table.ts'
import type { RunningAgent } from './running-agent.ts'

/** How often the deploy log repeats the current step of a start, in ms. */
const REPEAT_MS = 10_000
/** How long an agent server that reported why it does not start may take to end, in ms. */
const FAILED_GRACE_MS = 5_000

interface SupervisorOptions extends Hearing {
  /** Starts one process. Throws a sentence for people if it cannot be started at all. */
  launch(options: LaunchOptions): RunningAgent
  /** Whether its processes leave runs alone until `activate`. */
  isStandby: boolean
  deployLog: DeployLog
  /** The health check of a server that was healthy. */
  healthCheck: HealthCheck
  /** How long a process may take until it is healthy, in ms. */
  healthTimeoutMs: number
  backoff: Backoff
  clock: Clock
  log: Log
}

export interface LaunchOptions {
  /** Whether it leaves runs alone until `activate`. */
  isStandby: boolean
  /** Receives each line that it prints, as `notedLine` has it. */
  onLine(line: string): void
  /** Receives the load that it reports. */
  onLoad(load: Load): void
  /** Receives its last counts when it ends. */
  onLast(reading: AgentReading): void
  /** Receives a sentence on what it waits for before it can begin. */
  onWait(reason: string): void
}

/** One agent server's state; `core/deployment/runtime.ts` has a revision's. */
export type SupervisedState =
  | { kind: 'starting'; reason?: string }
  | { kind: 'healthy'; endpoint: Endpoint }
  | { kind: 'restarting'; reason: string; restarts: number }
  | { kind: 'failed'; reason: string }

/** One process, from its start to its end. */
interface Run {
  agent: RunningAgent
  load: Load | null
  /** How long it was healthy, in ms; `undefined`: it never was. */
  healthyMs: number | undefined
}

export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #stopping = new AbortController()
  #state: SupervisedState = { kind: 'starting' }
  #since: number
  #lastReason: string | null = null
  #isStandby: boolean
  #restarts = 0
  /** The current process, or the last one. */
  #run: Run | undefined
  #done: Promise<void> = Promise.resolve()

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.#since = options.clock.now()
    this.#isStandby = options.isStandby
  }

  get state(): SupervisedState {
    return this.#state
  }

  /** Its state for people and for scaling. */
  get replica(): Replica {
    return {
      state: this.#state.kind,
      since: this.#since,
      restarts: this.#restarts,
      reason: this.#startingReason ?? this.#lastReason,
      load: this.#run?.load ?? null,
    }
  }

  get #startingReason(): string | undefined {
    if (this.#state.kind !== 'starting') return undefined
    const doing = this.#run?.agent.doing
    return this.#state.reason ?? (doing && `It ${doing}.`)
  }

  get isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  start(): void {
    this.#done = this.#supervise().catch((error: unknown) => {
      const isSentence = error instanceof AppError
      if (!isSentence) {
        this.#options.log.error({ err: error }, 'The agent server could not be supervised.')
      }
      const reason = isSentence ? error.message : `The agent server could not be started: ${error}.`
      this.#lastReason = reason
      this.#become({ kind: 'failed', reason })
    })
  }

  /** See `RuntimeDriver.inspect`. */
  async inspect(): Promise<ParkedThreads | undefined> {
    return this.#state.kind === 'healthy' ? this.#run?.agent.inspect() : undefined
  }

  /** Its metrics; `undefined`: it is not healthy, or did not report them in time. */
  async measure(): Promise<ServerReading | undefined> {
    const state = this.#state
    if (state.kind !== 'healthy') return undefined
    const reading = await this.#run?.agent.measure()
    return reading && { ...reading, url: state.endpoint.url }
  }

  /** See `RuntimeDriver.activate`. A process that starts later is active from its start. */
  async activate(): Promise<void> {
    if (!this.#isStandby) return
    this.#isStandby = false
    await this.#run?.agent.activate()
  }

  /** See `RuntimeDriver.drain`. A process that dies meanwhile comes back to answer, not to execute. */
  async drain(limits: DrainLimits): Promise<number | undefined> {
    this.#isStandby = true
    return this.#state.kind === 'healthy' ? this.#run?.agent.drain(limits) : undefined
  }

  /** Asks the process to end, waits up to `graceMs`, then kills. May be called again. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort()
    this.#run?.agent.terminate()
    const timer = setTimeout(() => this.#run?.agent.kill(), graceMs)
    await this.#done
    clearTimeout(timer)
  }

  /** Lets go of a process that can go on alone; ends any other, as `stop` does. */
  async leave(graceMs: number): Promise<void> {
    const agent = this.#run?.agent
    if (!agent?.detach) return this.stop(graceMs)
    this.#stopping.abort()
    agent.detach()
    await this.#done
  }

  async #supervise(): Promise<void> {
    const { backoff, deployLog } = this.#options
    const runOnce = async () => {
      deployLog.forget()
      const reason = await this.#runOnce()
      return this.isStopping ? undefined : this.#takeEnd(reason)
    }
    await keepRunning({ runOnce, backoff, signal: this.#stopping.signal })
  }

  /** Returns how long the process was healthy, in ms; `undefined`: none is started after it. */
  #takeEnd(reason: string): number | undefined {
    const { agent, healthyMs } = this.#run ?? {}
    if (agent?.isAdopted && healthyMs === undefined) return 0
    this.#lastReason = reason
    // None has been healthy yet.
    if (this.#state.kind === 'starting') {
      this.#become({ kind: 'failed', reason })
      return undefined
    }
    this.#restarts += 1
    this.#become({ kind: 'restarting', reason, restarts: this.#restarts })
    return healthyMs ?? 0
  }

  /** Runs one process to its end and returns why it ended. */
  async #runOnce(): Promise<string> {
    const started = this.#options.launch({
      isStandby: this.#isStandby,
      onLine: (line) => this.#options.deployLog.line(line),
      onLoad: (load) => {
        run.load = load
      },
      onLast: (reading) => this.#tellLast(reading),
      onWait: (reason) => this.#becomeWaiting(reason),
    })
    const run: Run = { agent: started, load: null, healthyMs: undefined }
    this.#run = run
    const outcome = await this.#becomeHealthy(started)
    if (outcome === 'late') {
      const { doing } = started
      started.kill()
      await started.exited
      return this.#explain(started.failure ?? lateStart(this.#options.healthTimeoutMs, doing))
    }
    if (outcome === 'died') {
      const end = await started.exited
      return this.#explain(started.failure ?? `The agent server did not start: ${end}.`)
    }
    if (outcome === 'stopped') return started.exited
    return this.#serve(run, outcome)
  }

  async #serve(run: Run, endpoint: Endpoint): Promise<string> {
    const { clock } = this.#options
    this.#become({ kind: 'healthy', endpoint })
    const since = clock.now()
    const reason = await this.#endOf(run.agent, endpoint)
    run.healthyMs = clock.now() - since
    return this.#explain(reason)
  }

  /** Resolves when the process is gone; ends it if it hangs or grows too large. */
  async #endOf(started: RunningAgent, endpoint: Endpoint): Promise<string> {
    const { healthCheck } = this.#options
    const over = new AbortController()
    const exited = started.exited.then((end) => `The agent server died: ${end}.`)
    const faults = [
      waitUntilHung(endpoint, healthCheck, over.signal),
      started.outgrown(over.signal),
    ].map(async (fault) => {
      const why = await fault
      started.kill()
      return `The agent server was ended: ${why}.`
    })
    // These reject when the process is gone; its end has decided the race then.
    const end = await Promise.race([exited, ...faults.map((fault) => fault.catch(() => exited))])
    over.abort()
    await started.exited
    return end
  }

  /** A process that never was healthy has done nothing. */
  #tellLast(reading: AgentReading): void {
    const state = this.#state
    if (state.kind === 'healthy') this.#options.onLast({ ...reading, url: state.endpoint.url })
  }

  /** Until it runs, the revision is still starting; one that was healthy stays `restarting`. */
  #becomeWaiting(reason: string): void {
    this.#options.deployLog.line(ownLine(reason))
    if (this.#state.kind === 'starting') this.#become({ kind: 'starting', reason })
  }

  async #becomeHealthy(started: RunningAgent): Promise<Endpoint | 'died' | 'late' | 'stopped'> {
    const ended = started.exited.then(() => {})
    await Promise.race([started.started ?? Promise.resolve(), ended])
    const limit = AbortSignal.timeout(this.#options.healthTimeoutMs)
    const decided = new AbortController()
    const signal = AbortSignal.any([limit, decided.signal, this.#stopping.signal])
    const given = new Promise<'late' | 'stopped'>((resolve) => {
      const answer = () => resolve(this.isStopping ? 'stopped' : 'late')
      signal.addEventListener('abort', answer, { once: true })
      if (signal.aborted) answer()
    })
    const healthy = started.ready.then(async (endpoint) => {
      await waitUntilHealthy(endpoint, signal)
      return endpoint
    })
    const died = started.exited.then(() => 'died' as const)
    // A thread or a socket that its project left open may keep it from ending.
    started.failed
      .then(() => delay(FAILED_GRACE_MS, undefined, { signal: decided.signal }))
      .then(() => started.kill())
      .catch(() => {})
    const repeating = setInterval(() => {
      const { doing } = started
      if (doing) this.#options.deployLog.note(`The agent server still starts: it ${doing}.`)
    }, REPEAT_MS)
    // This rejects when one of the others has decided the race.
    const outcome = await Promise.race([healthy.catch(() => given), died, given])
    clearInterval(repeating)
    decided.abort()
    return outcome
  }

  #explain(why: string): string {
    return explain(why, this.#options.deployLog.tail())
  }

  #become(state: SupervisedState): void {
    this.#state = state
    this.#since = this.#options.clock.now()
    const level = state.kind === 'healthy' ? 'info' : 'warn'
    this.#options.log[level](forLog(state), `The agent server is ${state.kind}.`)
    this.#options.onChange()
  }
}

/** Without the token. */
function forLog(state: SupervisedState): object {
  return state.kind === 'healthy' ? { url: state.endpoint.url } : { ...state }
}
