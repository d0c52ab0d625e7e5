/** What a control plane has while it leads: a runtime driver, and the reconciler that works with it. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Replica, RuntimeDriver } from '../../core/deployment/runtime.ts'
import type { ReconcilerLimits, ReconcilerParts } from '../rollout/parts.ts'
import { Reconciler } from '../rollout/reconciler.ts'
import { whenServing } from './when-serving.ts'

/** How long agent servers may take to end, in ms; all of it is over in 30 s. */
const STOP_GRACE_MS = 15_000

interface LeadingOptions {
  parts: Omit<ReconcilerParts, 'store' | 'driver'>
  limits: Partial<ReconcilerLimits>
  createDriver: () => RuntimeDriver
}

/** If it leads a second time, all of this is made anew. */
export class Leading {
  readonly #options: LeadingOptions
  /** Runs outside of any request: the reconciler goes on when the request that woke it is over. */
  readonly #outside = AsyncLocalStorage.snapshot()
  #store: ReconcilerParts['store'] | undefined
  #driver: RuntimeDriver | undefined
  #reconciler: Reconciler | undefined

  constructor(options: LeadingOptions) {
    this.#options = options
  }

  /** When it settles, the gateway knows every deployment's name. `store` is of this term. */
  async begin(store: ReconcilerParts['store']): Promise<void> {
    const { parts, limits, createDriver } = this.#options
    this.#store = store
    this.#driver = createDriver()
    this.#reconciler = new Reconciler({ ...parts, store, driver: this.#driver }, limits)
    await this.#reconciler.start()
  }

  /** Stops deciding. What runs goes on until `end`. */
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

  /** Settles when all that was deployed serves again, or after `limitMs`; at once where another leads. */
  async whenServing(limitMs: number): Promise<void> {
    if (this.#store && this.#driver) await whenServing(this.#store, this.#driver, limitMs)
  }

  wake(): void {
    this.#outside(() => this.#reconciler?.wake())
  }

  /** Does nothing where another leads: its reconciler finds what there is to do. */
  async whenTended(deployment_id: string): Promise<void> {
    await this.#outside(() => this.#reconciler?.whenTended(deployment_id))
  }

  replicas(revision_id: string): Replica[] {
    return this.#driver?.replicas(revision_id) ?? []
  }
}
