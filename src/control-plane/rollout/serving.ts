/**
 * Keeps what is deployed serving: the active revision of each deployment runs, and the gateway knows
 * where. Until it does, requests to the deployment's name wait for it, a while each.
 */
import type { Clock } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import type { Endpoints, RuntimeDriver } from '../../core/deployment/runtime.ts'
import type { TargetTable } from '../../core/deployment/target.ts'
import type { Log } from '../../core/log.ts'
import type { Builds } from './builds.ts'
import { statusMessage } from './failure.ts'
import type { Runtimes } from './runtimes.ts'
import type { Scaling } from './scaling.ts'

/** How long to wait before an active revision that could not be started is tried again, in ms. */
const FIRST_RETRY_MS = 1000
const LAST_RETRY_MS = 60_000
/** How long a request waits for an agent server that is being started, in ms. */
const START_WAIT_MS = 15_000
/** The same where it has to be woken first. */
const WAKE_WAIT_MS = 60_000

export interface ServingOptions {
  store: ControlPlaneStore
  driver: RuntimeDriver
  targets: TargetTable
  builds: Builds
  runtimes: Runtimes
  scaling: Scaling
  /** Hears of each request to a deployment that sleeps. */
  onWanted: (deployment_id: string) => void
  clock: Clock
  log: Log
}

interface Retry {
  afterMs: number
  /** ms since 1970 */
  at: number
}

export class Serving {
  readonly #options: ServingOptions
  /** What the gateway was last told about each deployment. */
  readonly #told = new Map<string, string>()
  /** Active revisions that could not be started. */
  readonly #retries = new Map<string, Retry>()
  /** Deployments that sleep and are asked for. */
  readonly #wanted = new Set<string>()

  constructor(options: ServingOptions) {
    this.#options = options
  }

  /**
   * Brings the gateway and the active revision's runtime one step nearer to the record. `isBusy`: a
   * newer revision is on its way. `true`: the record changed.
   */
  async tend(deployment: Deployment, isBusy: boolean): Promise<boolean> {
    const active = deployment.active_revision_id
    if (active === null) this.pause(deployment)
    else if (deployment.asleep_since !== null) return this.#tendSleeper(deployment)
    // It went to sleep and is wanted again: what is left of it ends first.
    else if (this.#options.runtimes.isRetiring(active)) this.hold(deployment)
    else return this.#tendActive(deployment, active, isBusy)
    return false
  }

  async #tendActive(deployment: Deployment, active: string, isBusy: boolean): Promise<boolean> {
    const { driver, scaling } = this.#options
    const state = driver.observe(active)
    if (state.kind === 'healthy') {
      this.#retries.delete(active)
      if (!isBusy && (await scaling.isIdle(deployment, active)))
        return this.#sleep(deployment, active)
      this.#wanted.delete(deployment.id)
      this.point(deployment, active, state.endpoints)
      await scaling.tend(deployment, active)
      return false
    }
    if (state.kind === 'failed') this.pause(deployment)
    else this.hold(deployment)
    if (state.kind === 'absent') await this.#bringBack(deployment, active)
    if (state.kind === 'failed') await this.#tryAgain(deployment, active, state.reason)
    return false
  }

  /** Requests are held from here on, so none is lost between the decision and the end. */
  async #sleep(deployment: Deployment, active: string): Promise<boolean> {
    this.holdAsleep(deployment)
    if (this.#options.targets.activity(deployment.name).open > 0) return true
    await this.#options.scaling.noteAsleep(deployment, active)
    return true
  }

  async #tendSleeper(deployment: Deployment): Promise<boolean> {
    const { scaling, clock } = this.#options
    const isDue = deployment.wake_at !== null && Date.parse(deployment.wake_at) <= clock.now()
    if (!isDue && !this.#wanted.has(deployment.id)) {
      this.holdAsleep(deployment)
      return false
    }
    this.#wanted.delete(deployment.id)
    await scaling.noteAwake(deployment)
    return true
  }

  /** Sends the name's requests to this revision. */
  point(deployment: Deployment, revision_id: string, endpoints: Endpoints): void {
    const { id: deployment_id, tenant_id: workspace_id } = deployment
    this.#tell(deployment, JSON.stringify([revision_id, endpoints]), () =>
      this.#options.targets.set(deployment.name, {
        deployment_id,
        workspace_id,
        revision_id,
        endpoints,
      }),
    )
  }

  /** Lets requests wait until it serves again. */
  hold(deployment: Deployment): void {
    const { id: deployment_id, tenant_id: workspace_id } = deployment
    this.#tell(deployment, 'held', () =>
      this.#options.targets.hold(deployment.name, {
        deployment_id,
        workspace_id,
        limitMs: START_WAIT_MS,
      }),
    )
  }

  /** Lets requests wait until it is awake, which the first of them wakes it for. */
  holdAsleep(deployment: Deployment): void {
    const { id: deployment_id, tenant_id: workspace_id } = deployment
    const onRequest = () => {
      this.#wanted.add(deployment_id)
      this.#options.onWanted(deployment_id)
    }
    this.#tell(deployment, 'asleep', () =>
      this.#options.targets.hold(deployment.name, {
        deployment_id,
        workspace_id,
        limitMs: WAKE_WAIT_MS,
        onRequest,
        ...(deployment.has_own_auth !== null && { hasOwnAuth: deployment.has_own_auth }),
      }),
    )
  }

  /** Lets the name answer that nothing runs. */
  pause(deployment: Deployment): void {
    const { id: deployment_id, tenant_id: workspace_id } = deployment
    this.#tell(deployment, 'paused', () =>
      this.#options.targets.pause(deployment.name, { deployment_id, workspace_id }),
    )
  }

  /** Lets the name answer that there is no such deployment. */
  remove(deployment: Deployment): void {
    this.#options.targets.remove(deployment.name)
    this.#told.delete(deployment.id)
  }

  #tell(deployment: Deployment, what: string, tell: () => void): void {
    if (this.#told.get(deployment.id) === what) return
    tell()
    this.#told.set(deployment.id, what)
  }

  /** Starts the active revision of a deployment; builds it first where its build is gone. */
  async #bringBack(deployment: Deployment, revision_id: string): Promise<void> {
    const { store, builds, runtimes } = this.#options
    const revision = await store.revisions.get(deployment.id, revision_id)
    if (!revision) return
    const build = await builds.state(revision)
    if (build.kind === 'failed') return this.#tryAgain(deployment, revision_id, build.reason)
    if (build.kind === 'built') await runtimes.start(deployment, revision)
    if (build.kind === 'absent') builds.begin(revision)
  }

  /** It has served before, so what stopped it may pass: tried again, ever more seldom. */
  async #tryAgain(deployment: Deployment, revision_id: string, reason: string): Promise<void> {
    const { store, builds, runtimes, clock, log } = this.#options
    const retry = this.#retries.get(revision_id)
    if (retry === undefined || clock.now() < retry.at) {
      if (retry === undefined) this.#retryAfter(revision_id, FIRST_RETRY_MS)
      return
    }
    this.#retryAfter(revision_id, Math.min(2 * retry.afterMs, LAST_RETRY_MS))
    builds.forget(revision_id)
    const revision = await store.revisions.get(deployment.id, revision_id)
    if (!revision) return
    const fields = { deployment: deployment.name, revision_id }
    log.warn({ ...fields, reason: statusMessage(reason, revision.secrets) }, 'starting it again')
    await runtimes.start(deployment, revision)
  }

  #retryAfter(revision_id: string, afterMs: number): void {
    this.#retries.set(revision_id, { afterMs, at: this.#options.clock.now() + afterMs })
  }
}
