/** What a control plane has while it leads: a runtime driver, and the reconciler that works with it. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ReconcilerLimits, ReconcilerParts } from '../control-plane/rollout/parts.ts'
import { Reconciler } from '../control-plane/rollout/reconciler.ts'
import type { Replica, RuntimeDriver } from '../core/deployment/runtime.ts'

/** How long agent servers may take to end, in ms; all of it is over in 30 s. */
const STOP_GRACE_MS = 15_000

export interface LeadingOptions {
  parts: Omit<ReconcilerParts, 'store' | 'driver'>
  limits: Partial<ReconcilerLimits>
  createDriver: () => RuntimeDriver
}

/** One that leads again after it did not has all of it anew. */
export class Leading {
  readonly #options: LeadingOptions
  /** The reconciler goes on with its work when the request that has woken it is long over. */
  readonly #outside = AsyncLocalStorage.snapshot()
  #driver: RuntimeDriver | undefined
  #reconciler: Reconciler | undefined

  constructor(options: LeadingOptions) {
    this.#options = options
  }

  /** `undefined` while it does not lead. */
  get driver(): RuntimeDriver | undefined {
    return this.#driver
  }

  /** When it settles, the gateway knows every deployment's name. `store` is of this term. */
  async begin(store: ReconcilerParts['store']): Promise<void> {
    const { parts, limits, createDriver } = this.#options
    this.#driver = createDriver()
    this.#reconciler = new Reconciler({ ...parts, store, driver: this.#driver }, limits)
    await this.#reconciler.start()
  }

  /** Does no more. What runs goes on until `end`. */
  async stopReconciling(): Promise<void> {
    await this.#reconciler?.stop()
    this.#reconciler = undefined
  }

  /** Stops what runs as well. A second call finds nothing left to do. */
  async end(): Promise<void> {
    await this.stopReconciling()
    const driver = this.#driver
    this.#driver = undefined
    await driver?.stopAll(STOP_GRACE_MS)
  }

  wake(): void {
    this.#outside(() => this.#reconciler?.wake())
  }

  /** Where another leads, its look finds what there is to do. */
  async whenTended(deployment_id: string): Promise<void> {
    await this.#outside(() => this.#reconciler?.whenTended(deployment_id))
  }

  replicas(revision_id: string): Replica[] {
    return this.#driver?.replicas(revision_id) ?? []
  }
}
