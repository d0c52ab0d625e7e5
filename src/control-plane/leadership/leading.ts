/**
 * What a control plane has while it leads: a runtime driver, the reconciler that works with it, the
 * sampler of figures, and the upkeep of the token vault.
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Hub, ListenerExchange } from '../../core/deployment/listener-protocol.ts'
import type { Replica, RuntimeDriver } from '../../core/deployment/runtime.ts'
import { sourceConfigOf } from '../../core/deployment/sources/config.ts'
import { AppError } from '../../core/errors.ts'
import type { ControlPlaneReading } from '../../core/figures/reading.ts'
import { Sampler } from '../figures/sampler.ts'
import { Upkeep } from '../oauth/upkeep.ts'
import { Reconciler } from '../rollout/reconciler.ts'
import type { ReconcilerLimits, ReconcilerParts } from '../rollout/rollout-parts.ts'

/** How long agent servers may take to end, in ms; all of it is over in 30 s. */
const STOP_GRACE_MS = 15_000

interface LeadingOptions {
  parts: Omit<ReconcilerParts, 'store' | 'driver' | 'targets'>
  limits: Partial<ReconcilerLimits>
  createDriver: () => RuntimeDriver
  /** Combines the agent servers of listeners with those here. `store`: of this term. */
  createHub: (store: ReconcilerParts['store'], driver: RuntimeDriver) => Hub
  /** The control plane's own metrics, and the length of a step of figures, in ms. */
  figures: { readOwn: () => Promise<ControlPlaneReading>; stepMs: number }
}

/** A second term makes all of this again. */
export class Leading {
  readonly #options: LeadingOptions
  /** Runs outside of any request: the reconciler goes on when the request that woke it is over. */
  readonly #outside = AsyncLocalStorage.snapshot()
  #store: ReconcilerParts['store'] | undefined
  #hub: Hub | undefined
  #reconciler: Reconciler | undefined
  #upkeep: Upkeep | undefined
  #sampler: Sampler | undefined

  constructor(options: LeadingOptions) {
    this.#options = options
  }

  /** When it settles, the gateway knows every deployment's name. `store` is of this term. */
  async start(store: ReconcilerParts['store']): Promise<void> {
    const { parts, limits, createDriver, createHub, figures } = this.#options
    this.#store = store
    this.#hub = createHub(store, createDriver())
    const { driver, targets } = this.#hub
    this.#sampler = new Sampler({ ...parts, ...figures, store, driver })
    this.#reconciler = new Reconciler({ ...parts, store, driver, targets }, limits)
    await this.#reconciler.start()
    this.#upkeep = new Upkeep({ ...parts, store })
    this.#upkeep.start()
    await this.#sampler.start()
  }

  /** Stops deciding. Agent servers keep running until `stop`. */
  async stopReconciling(): Promise<void> {
    await this.#sampler?.stop()
    this.#sampler = undefined
    await this.#upkeep?.stop()
    this.#upkeep = undefined
    await this.#reconciler?.stop()
    this.#reconciler = undefined
  }

  /** Leaves agent servers running, or stops those that cannot go on alone. A second call does nothing. */
  async stop(): Promise<void> {
    await this.stopReconciling()
    const hub = this.#hub
    this.#hub = undefined
    await hub?.driver.leave(STOP_GRACE_MS)
  }

  /** Settles when all deployments serve again, or after `limitMs`; at once where another leads. */
  async whenServing(limitMs: number): Promise<void> {
    if (this.#store && this.#hub) await whenServing(this.#store, this.#hub.driver, limitMs)
  }

  wake(): void {
    this.#outside(() => this.#reconciler?.wake())
  }

  /** Does nothing where another leads: its reconciler finds what there is to do. */
  async whenTended(deployment_id: string): Promise<void> {
    await this.#outside(() => this.#reconciler?.whenTended(deployment_id))
  }

  replicas(revision_id: string): Replica[] {
    return this.#hub?.driver.replicas(revision_id) ?? []
  }

  /** A listener's exchange. Throws `unavailable` where another leads. */
  readonly exchange: ListenerExchange = (listener, report, signal) =>
    this.#outside(async () => {
      if (this.#hub) return this.#hub.exchange(listener, report, signal)
      throw new AppError('unavailable', 'Another control plane leads; ask again soon.')
    })
}

/**
 * Settles when the active revision of every deployment is healthy, or has failed, or after
 * `limitMs`.
 */
async function whenServing(
  store: Pick<ControlPlaneStore, 'deployments'>,
  driver: RuntimeDriver,
  limitMs: number,
): Promise<void> {
  const waiting = new Set<string>()
  for (const deployment of await store.deployments.listAll()) {
    const { active_revision_id, asleep_since } = deployment
    // A listener's deployments do not start with this process.
    if (sourceConfigOf(deployment).listener_id !== null) continue
    if (active_revision_id !== null && asleep_since === null) waiting.add(active_revision_id)
  }
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      unsubscribe()
      resolve()
    }
    const look = () => {
      for (const revision_id of waiting) {
        const { kind } = driver.observe(revision_id)
        if (kind === 'healthy' || kind === 'failed') waiting.delete(revision_id)
      }
      if (waiting.size === 0) end()
    }
    const timer = setTimeout(end, limitMs)
    const unsubscribe = driver.onChange(look)
    look()
  })
}
