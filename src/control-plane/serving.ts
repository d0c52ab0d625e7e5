/**
 * Keeps what is deployed serving: the active revision of each deployment runs, and the gateway knows
 * where. Until it does, requests to the deployment's name wait for it, a while each.
 */
import type { Clock } from '../core/clock.ts'
import type { ControlPlaneStore } from '../core/control-plane-store.ts'
import type { Deployment } from '../core/deployment.ts'
import type { Log } from '../core/log.ts'
import type { Endpoints, RuntimeDriver } from '../core/runtime.ts'
import type { TargetTable } from '../core/target.ts'
import type { Builds } from './builds.ts'
import { statusMessage } from './failure.ts'
import type { Runtimes } from './runtimes.ts'

/** How long to wait before an active revision that could not be started is tried again, in ms. */
const FIRST_RETRY_MS = 1000
const LAST_RETRY_MS = 60_000
/** How long a request waits for an agent server that is being started, in ms. */
const START_WAIT_MS = 15_000

export interface ServingOptions {
  store: ControlPlaneStore
  driver: RuntimeDriver
  targets: TargetTable
  builds: Builds
  runtimes: Runtimes
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

  constructor(options: ServingOptions) {
    this.#options = options
  }

  /** Brings the gateway and the active revision's runtime one step nearer to the record. */
  async tend(deployment: Deployment): Promise<void> {
    const active = deployment.active_revision_id
    if (active === null) return this.pause(deployment)
    const state = this.#options.driver.observe(active)
    if (state.kind === 'healthy') {
      this.#retries.delete(active)
      return this.point(deployment, active, state.endpoints)
    }
    if (state.kind === 'failed') this.pause(deployment)
    else this.hold(deployment)
    if (state.kind === 'absent') await this.#bringBack(deployment, active)
    if (state.kind === 'failed') await this.#tryAgain(deployment, active, state.reason)
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
