/**
 * Samples all deployments and the control plane once in each step of time, in the leading control plane.
 * It reads the metrics that `/metrics` answers and stores what has happened since the last step.
 */
import type { Clock } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import type { RuntimeDriver } from '../../core/deployment/runtime.ts'
import type { ControlPlaneReading, ServerReading } from '../../core/figures/reading.ts'
import {
  CONTROL_PLANE_ID,
  isIdle,
  type StoredSample,
  sampleOfControlPlane,
  sampleOfDeployment,
} from '../../core/figures/sample.ts'
import type { Log } from '../../core/log.ts'
import { HOUR_MS, KEPT_MS } from './figures.ts'

interface SamplerParts {
  store: Pick<ControlPlaneStore, 'deployments' | 'figures'>
  driver: Pick<RuntimeDriver, 'revisionsOf' | 'readings' | 'takeLastReadings'>
  /** Of the control plane's own metrics. */
  readOwn: () => Promise<ControlPlaneReading>
  /** How long a step is, in ms. */
  stepMs: number
  clock: Clock
  log: Log
}

export class Sampler {
  readonly #parts: SamplerParts
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> | undefined
  #isStopped = false
  #takenAt = 0
  #own: ControlPlaneReading | undefined
  /** The latest reading of each agent server, by its URL, and when it was read. One may be missing in a step. */
  readonly #servers = new Map<string, { reading: ServerReading; at: number }>()
  /** In ms since 1970. Another control plane has counted what agent servers did before. */
  readonly #beganAt: number

  /** Create it before the agent servers whose first counts it must count. */
  constructor(parts: SamplerParts) {
    this.#parts = parts
    this.#beganAt = parts.clock.now()
  }

  /** The first step does not include earlier counts. */
  async start(): Promise<void> {
    this.#own = await this.#parts.readOwn()
    this.#takenAt = this.#parts.clock.now()
    this.#plan()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#working
  }

  /** Ends a step: stores what happened in it, and deletes samples older than a day. */
  async take(): Promise<void> {
    const { store, readOwn, stepMs, clock } = this.#parts
    const deployments = await store.deployments.listAll()
    const own = await readOwn()
    const read = await Promise.all(deployments.map((one) => this.#read(one)))
    const now = clock.now()
    const seconds = (now - this.#takenAt) / 1000
    const at = Math.floor(now / stepMs) * stepMs - stepMs
    const changeOf = (one: ServerReading) => ({ before: this.#before(one), now: one })
    const samples: StoredSample[] = read.map(({ id, name, servers, ended }) => {
      const passed = own.gateway[name]
      const gateway = passed && { before: this.#own?.gateway[name], now: passed }
      const changes = servers.map(changeOf)
      const sample = sampleOfDeployment(seconds, changes, gateway, ended.map(changeOf))
      return { deployment_id: id, at, sample }
    })
    const ofOwn = sampleOfControlPlane(seconds, { before: this.#own, now: own })
    this.#own = own
    this.#remember(read, now)
    this.#takenAt = now
    const kept = samples.filter(({ sample }) => !isIdle(sample))
    await store.figures.add([...kept, { deployment_id: CONTROL_PLANE_ID, at, sample: ofOwn }])
    await store.figures.expire(now - KEPT_MS)
  }

  /** The earlier reading of the same process, or this one if an earlier control plane has already counted its start. */
  #before(one: ServerReading): ServerReading | undefined {
    const before = this.#servers.get(one.url)?.reading
    if (before && isSameServer(before, one)) return before
    // `started_at` is rounded to seconds.
    return (one.started_at + 1) * 1000 < this.#beganAt ? one : undefined
  }

  #remember(read: readonly Record<'servers' | 'ended', ServerReading[]>[], now: number): void {
    for (const { servers, ended } of read) {
      for (const reading of ended) this.#servers.delete(reading.url)
      for (const reading of servers) this.#servers.set(reading.url, { reading, at: now })
    }
    for (const [url, { at }] of this.#servers) if (at < now - HOUR_MS) this.#servers.delete(url)
  }

  /** A revision that is being replaced counts as well. */
  async #read({ id, name }: Deployment) {
    const { driver } = this.#parts
    const revisions = driver.revisionsOf(id)
    const servers = (await Promise.all(revisions.map((one) => driver.readings(one)))).flat()
    const ended = driver.takeLastReadings(id)
    // If a server ended after its reading, `ended` has a later one.
    const isOver = (one: ServerReading) => ended.some((other) => isSameServer(one, other))
    return { id, name, servers: servers.filter((one) => !isOver(one)), ended }
  }

  /** Runs at the end of the present step of the clock. */
  #plan(): void {
    if (this.#isStopped) return
    const { stepMs, clock } = this.#parts
    const inMs = stepMs - (clock.now() % stepMs)
    this.#timer = setTimeout(() => {
      this.#working = this.#takeSafely().finally(() => this.#plan())
    }, inMs).unref()
  }

  async #takeSafely(): Promise<void> {
    try {
      await this.take()
    } catch (error) {
      if (this.#isStopped) return
      this.#parts.log.warn(
        { err: error },
        'figures could not be kept; trying again at the next step',
      )
    }
  }
}

function isSameServer(one: ServerReading, other: ServerReading): boolean {
  return one.url === other.url && one.started_at === other.started_at
}
