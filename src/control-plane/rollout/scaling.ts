/** Has as many agent servers run as there is to do, and none where nobody asks for it. */
import { type Clock, timestamp } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import { haveOwnAuth, type Replica, type RuntimeDriver } from '../../core/deployment/runtime.ts'
import {
  isPressed,
  replicasWanted,
  type ScaleLimits,
  scaleLimits,
} from '../../core/deployment/scaling.ts'
import type { TargetTable } from '../../core/deployment/target.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Log } from '../../core/log.ts'

export interface ScalingOptions {
  store: ControlPlaneStore
  driver: RuntimeDriver
  targets: TargetTable
  drainMs: number
  /** How long there has to be room before an agent server is taken away, in ms. */
  calmMs: number
  /** How long nothing may be asked of a deployment before it sleeps, in ms. */
  idleMs: number
  clock: Clock
  log: Log
}

export class Scaling {
  readonly #options: ScalingOptions
  /** By revision, when there was too much to do last, in ms since 1970. */
  readonly #pressedAt = new Map<string, number>()
  /** By revision: what it may have never changes. */
  readonly #limits = new Map<string, ScaleLimits>()

  constructor(options: ScalingOptions) {
    this.#options = options
  }

  /** To be asked while the revision is the active one and healthy. */
  async tend(deployment: Deployment, revision_id: string): Promise<void> {
    const { driver, targets, drainMs, log } = this.#options
    const replicas = driver.replicas(revision_id)
    const limits = await this.#limitsOf(deployment, revision_id)
    const wanted = replicasWanted(replicas, limits, this.#isCalm(revision_id, replicas))
    if (wanted === replicas.length && replicas.every(({ state }) => state !== 'failed')) return
    log.info({ deployment: deployment.name, from: replicas.length, to: wanted }, 'scaling')
    this.#pressedAt.set(revision_id, this.#options.clock.now())
    driver.scale(revision_id, wanted, async (endpoint) => {
      if (endpoint) await targets.drain({ revision_id, url: endpoint.url }, drainMs)
    })
  }

  /** Whether the active revision may be stopped: `min_scale` is 0 and nothing is asked of it. */
  async isIdle(deployment: Deployment, revision_id: string): Promise<boolean> {
    const { driver, targets, clock, idleMs } = this.#options
    const { min } = await this.#limitsOf(deployment, revision_id)
    if (min > 0) return false
    const { open, last_at } = targets.activity(deployment.name)
    const replicas = driver.replicas(revision_id)
    const since = Math.max(last_at, ...replicas.map((one) => one.since))
    if (open > 0 || clock.now() - since < idleMs) return false
    const soon = clock.now() + idleMs
    return replicas.every(
      ({ load }) => load?.running === 0 && (load.next_due_at ?? Number.POSITIVE_INFINITY) > soon,
    )
  }

  /** Notes that the deployment sleeps, until something of it is due. Answers it as it is then. */
  async noteAsleep(deployment: Deployment, revision_id: string): Promise<Deployment> {
    const { store, driver, clock, log } = this.#options
    const dues = driver.replicas(revision_id).flatMap(({ load }) => load?.next_due_at ?? [])
    const now = timestamp(clock)
    const wake_at = dues.length > 0 ? new Date(Math.min(...dues)).toISOString() : null
    const state = driver.observe(revision_id)
    const sleep = {
      asleep_since: now,
      wake_at,
      ...(state.kind === 'healthy' && { has_own_auth: haveOwnAuth(state.endpoints) }),
      updated_at: deployment.updated_at,
    }
    await store.deployments.update(deployment.id, sleep)
    log.info({ deployment: deployment.name, wake_at }, 'nobody asks for it: it sleeps')
    return { ...deployment, ...sleep }
  }

  /** Notes when it has to be awake again, where that was found out while it went to sleep. */
  async noteDue(deployment_id: string, due: number): Promise<void> {
    const { store } = this.#options
    const deployment = await store.deployments.get(deployment_id)
    if (!deployment || deployment.asleep_since === null) return
    const { updated_at } = deployment
    await store.deployments.update(deployment_id, {
      wake_at: new Date(due).toISOString(),
      updated_at,
    })
  }

  async noteAwake(deployment: Deployment): Promise<Deployment> {
    const awake = { asleep_since: null, wake_at: null, updated_at: deployment.updated_at }
    await this.#options.store.deployments.update(deployment.id, awake)
    this.#options.log.info({ deployment: deployment.name }, 'it is woken')
    return { ...deployment, ...awake }
  }

  #isCalm(revision_id: string, replicas: Replica[]): boolean {
    const now = this.#options.clock.now()
    if (!this.#pressedAt.has(revision_id) || isPressed(replicas))
      this.#pressedAt.set(revision_id, now)
    return now - (this.#pressedAt.get(revision_id) ?? now) >= this.#options.calmMs
  }

  async #limitsOf(deployment: Deployment, revision_id: string): Promise<ScaleLimits> {
    const known = this.#limits.get(revision_id)
    if (known) return known
    const revision = await this.#options.store.revisions.get(deployment.id, revision_id)
    const spec = (revision?.source_config.resource_spec ?? null) as JsonObject | null
    const limits = scaleLimits(spec)
    this.#limits.set(revision_id, limits)
    return limits
  }
}
