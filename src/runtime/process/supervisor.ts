/**
 * Keeps one revision's agent server running: `starting` → `healthy` → `restarting` → `healthy` …
 * until it is stopped; or `starting` → `failed`. The drawing stands in `core/runtime.ts`.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Endpoint, RuntimeState } from '../../core/runtime.ts'
import type { AgentProcess } from './agent-process.ts'
import { type Backoff, backoffMs } from './backoff.ts'
import type { DeployLog } from './deploy-log.ts'
import { waitUntilHealthy } from './health.ts'

export interface SupervisorOptions {
  /** Starts one process whose output goes to `deployLog`. */
  launch(): AgentProcess
  deployLog: DeployLog
  /** How long a process may take until it is healthy, in ms. */
  healthTimeoutMs: number
  backoff: Backoff
  clock: Clock
  log: Log
  /** Called after each change of state. */
  onChange(): void
}

export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #stopping = new AbortController()
  #state: RuntimeState = { kind: 'starting' }
  #process: AgentProcess | undefined
  #done: Promise<void> = Promise.resolve()
  #hasBeenHealthy = false
  #restarts = 0
  /** Since it was last healthy for `resetMs`. */
  #restartsInARow = 0

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  get state(): RuntimeState {
    return this.#state
  }

  get isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  start(): void {
    this.#done = this.#supervise().catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'The agent server could not be supervised.')
      this.#become({ kind: 'failed', reason: `The agent server could not be started: ${error}.` })
    })
  }

  /** Asks the process to end, waits up to `graceMs`, then kills. May be called again. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort()
    this.#process?.terminate()
    const timer = setTimeout(() => this.#process?.kill(), graceMs)
    await this.#done
    clearTimeout(timer)
    this.#options.deployLog.close()
  }

  async #supervise(): Promise<void> {
    while (!this.isStopping) {
      this.#options.deployLog.forget()
      const reason = await this.#runOnce()
      if (this.isStopping) return
      if (!this.#hasBeenHealthy) {
        this.#become({ kind: 'failed', reason })
        return
      }
      this.#restarts += 1
      this.#become({ kind: 'restarting', reason, restarts: this.#restarts })
      const waitMs = backoffMs(this.#restartsInARow, this.#options.backoff)
      this.#restartsInARow += 1
      await delay(waitMs, undefined, { signal: this.#stopping.signal }).catch(() => {})
    }
  }

  /** Runs one process to its end and answers why it ended. */
  async #runOnce(): Promise<string> {
    const { clock, backoff } = this.#options
    const started = this.#options.launch()
    this.#process = started
    const outcome = await this.#becomeHealthy(started)
    if (outcome === 'late') {
      started.kill()
      await started.exited
      const seconds = this.#options.healthTimeoutMs / 1000
      return this.#explain(`The agent server was not healthy within ${seconds} s.`)
    }
    if (typeof outcome === 'object') {
      this.#hasBeenHealthy = true
      this.#become({ kind: 'healthy', endpoint: outcome })
    }
    const since = clock.now()
    const end = await started.exited
    if (outcome === 'died') return this.#explain(`The agent server did not start: ${end}.`)
    if (clock.now() - since >= backoff.resetMs) this.#restartsInARow = 0
    return this.#explain(`The agent server died: ${end}.`)
  }

  async #becomeHealthy(started: AgentProcess): Promise<Endpoint | 'died' | 'late' | 'stopped'> {
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
    // It rejects when the others have decided.
    const outcome = await Promise.race([healthy.catch(() => given), died, given])
    decided.abort()
    return outcome
  }

  #explain(sentence: string): string {
    return [sentence, ...this.#options.deployLog.tail()].join('\n')
  }

  #become(state: RuntimeState): void {
    this.#state = state
    const level = state.kind === 'healthy' ? 'info' : 'warn'
    this.#options.log[level](forLog(state), `The agent server is ${state.kind}.`)
    this.#options.onChange()
  }
}

/** Without the token. */
function forLog(state: RuntimeState): object {
  return state.kind === 'healthy' ? { url: state.endpoint.url } : { ...state }
}
