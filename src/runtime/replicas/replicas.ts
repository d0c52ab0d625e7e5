/** The agent servers of one revision: as many as are asked for, each under its own supervisor. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ParkedThreads } from '../../core/agent/parked-threads.ts'
import {
  areEndpoints,
  type DrainLimits,
  type Endpoint,
  type Replica,
  type RuntimeState,
} from '../../core/deployment/runtime.ts'
import type { ServerReading } from '../../core/figures/reading.ts'
import type { DeployLog } from '../deploy-log.ts'
import type { Hearing } from './revision-table.ts'
import type { SupervisedState, Supervisor } from './supervisor.ts'

interface ReplicasOptions extends Hearing {
  deployment_id: string
  /** Creates a supervisor that is not started yet and reports its changes. */
  supervise(options: { isStandby: boolean } & Hearing): Supervisor
  isStandby: boolean
  /** How long an agent server that is no longer needed may take to drain, in ms. Then it is asked to end. */
  retireLimitMs: number
  /** Shared by all of them; closed with the last. */
  deployLog: DeployLog
}

export class Replicas {
  readonly #options: ReplicasOptions
  /** In the order of their start. */
  readonly #serving: Supervisor[] = []
  /** No longer endpoints; they are about to end. */
  readonly #retiring = new Set<Supervisor>()
  #isStandby: boolean
  #isStopping = false

  constructor(options: ReplicasOptions) {
    this.#options = options
    this.#isStandby = options.isStandby
  }

  get deployment_id(): string {
    return this.#options.deployment_id
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  /** Healthy as long as one is; else the state of one that restarts or starts; failed when all have failed. */
  get state(): RuntimeState {
    const states = this.#serving.map((one) => one.state)
    const endpoints = states.flatMap((state) => (state.kind === 'healthy' ? [state.endpoint] : []))
    if (areEndpoints(endpoints)) return { kind: 'healthy', endpoints }
    const isDown = (state: SupervisedState) => state.kind === 'restarting'
    return (states.find(isDown) ??
      states.find((state) => state.kind === 'starting') ??
      states[0] ?? { kind: 'absent' }) as RuntimeState
  }

  get replicas(): Replica[] {
    return this.#serving.map((one) => one.replica)
  }

  /** See `RuntimeDriver.scale`. */
  scale(count: number, retire: (endpoint: Endpoint | undefined) => Promise<void>): void {
    if (this.#isStopping) return
    const failed = this.#serving.filter((one) => one.state.kind === 'failed')
    // A single one stays failed: the caller of `start` decides what to do about it.
    if (failed.length < this.#serving.length) {
      for (const one of failed) this.#serving.splice(this.#serving.indexOf(one), 1)
    }
    while (this.#serving.length < count) this.#begin()
    const surplus = this.#serving.splice(count)
    for (const one of surplus) void this.#retire(one, retire)
    if (surplus.length > 0) this.#options.onChange()
  }

  /** Any healthy one answers for all. */
  async inspect(): Promise<ParkedThreads | undefined> {
    return this.#serving.find((one) => one.state.kind === 'healthy')?.inspect()
  }

  /** Includes those that are about to end. */
  async readings(): Promise<ServerReading[]> {
    const all = [...this.#serving, ...this.#retiring]
    const readings = await Promise.all(all.map((one) => one.measure()))
    return readings.filter((reading) => reading !== undefined)
  }

  async activate(): Promise<void> {
    this.#isStandby = false
    await Promise.all(this.#serving.map((one) => one.activate()))
  }

  async drain(limits: DrainLimits): Promise<number | undefined> {
    return earliest(await Promise.all(this.#serving.map((one) => one.drain(limits))))
  }

  /** Asks all of them to end, waits up to `graceMs`, then kills. May be called again. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true
    const all = [...this.#serving, ...this.#retiring]
    await Promise.all(all.map((one) => one.stop(graceMs)))
    this.#options.deployLog.close()
  }

  /** See `RuntimeDriver.leave`. */
  async leave(graceMs: number): Promise<void> {
    this.#isStopping = true
    const retired = [...this.#retiring].map((one) => one.stop(graceMs))
    await Promise.all([...retired, ...this.#serving.map((one) => one.leave(graceMs))])
    this.#options.deployLog.close()
  }

  #begin(): void {
    const onChange = () => this.#options.onChange()
    const { onLast } = this.#options
    const supervisor = this.#options.supervise({ isStandby: this.#isStandby, onChange, onLast })
    this.#serving.push(supervisor)
    supervisor.start()
  }

  async #retire(
    supervisor: Supervisor,
    retire: (endpoint: Endpoint | undefined) => Promise<void>,
  ): Promise<void> {
    this.#retiring.add(supervisor)
    const { state } = supervisor
    // An agent server without its database may never report that it has drained.
    const late = delay(this.#options.retireLimitMs, undefined, { ref: false })
    await Promise.all([
      Promise.race([supervisor.drain(RETIRING_LIMITS), late]),
      retire(state.kind === 'healthy' ? state.endpoint : undefined).catch(() => {}),
    ])
    await supervisor.stop(RETIRING_GRACE_MS)
    this.#retiring.delete(supervisor)
  }
}

/** Another agent server of the revision takes the runs over, so there is little to wait for. */
export const RETIRING_LIMITS: DrainLimits = { graceMs: 30_000, checkpointMs: 15_000 }
const RETIRING_GRACE_MS = 5_000
/** Longer than `RETIRING_LIMITS` together. */
export const DEFAULT_RETIRE_LIMIT_MS = 60_000

/** When the next work of several agent servers is due; `undefined`: unknown, or none. */
export function earliest(dues: readonly (number | undefined)[]): number | undefined {
  const known = dues.filter((due) => due !== undefined)
  return known.length > 0 ? Math.min(...known) : undefined
}
