/**
 * Makes the world match the record: revisions are rolled out, what is deployed serves, and what is
 * deleted goes away. It takes no input: it reads the record, observes the runtime driver, does what
 * is next, and looks again, whenever it is woken, a runtime or a build changes, and on a timer.
 *
 * Each deployment is tended by itself, one look at a time; none waits for another. Builds and the
 * end of replaced agent servers go on in the background.
 */

import { setTimeout as delay } from 'node:timers/promises'
import { timestamp } from '../../core/clock.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import { Builds } from './builds.ts'
import { DEFAULT_LIMITS, type ReconcilerLimits, type ReconcilerParts } from './parts.ts'
import { endProbation } from './probation.ts'
import { type RemovalOptions, removeDeployment } from './removal.ts'
import { Retention } from './retention.ts'
import { Rollouts } from './rollouts.ts'
import { Runtimes } from './runtimes.ts'
import { Scaling } from './scaling.ts'
import { Serving } from './serving.ts'

/** How long a request waits for a look, in ms. */
const TEND_LIMIT_MS = 1000

export class Reconciler {
  readonly #parts: ReconcilerParts
  readonly #limits: ReconcilerLimits
  readonly #builds: Builds
  readonly #runtimes: Runtimes
  readonly #serving: Serving
  readonly #rollouts: Rollouts
  readonly #removal: RemovalOptions
  readonly #retention: Retention
  /** Deployments being tended, and whether to look at them once more afterwards. */
  readonly #tended = new Map<string, { isWoken: boolean; ended: Promise<void> }>()
  #isRunning = false
  #isWoken = false
  #looking: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #unsubscribe = () => {}

  constructor(parts: ReconcilerParts, limits: Partial<ReconcilerLimits> = {}) {
    this.#parts = parts
    this.#limits = { ...DEFAULT_LIMITS, ...limits }
    const { store, builder } = parts
    const { maxBuilds } = this.#limits
    const onEnd = () => this.wake()
    this.#builds = new Builds({ store, builder, maxBuilds, onEnd, log: parts.log })
    const scaling = new Scaling({ ...parts, ...this.#limits })
    this.#runtimes = new Runtimes({
      ...parts,
      ...this.#limits,
      builds: this.#builds,
      onDue: (deployment_id, due) => scaling.noteDue(deployment_id, due),
      onEnd: (deployment_id) => this.#tendSoon(deployment_id),
    })
    this.#retention = new Retention({ ...parts, ...this.#limits })
    const onWanted = (deployment_id: string) => this.#tendSoon(deployment_id)
    const room = { ...parts, builds: this.#builds, runtimes: this.#runtimes, scaling, onWanted }
    this.#serving = new Serving(room)
    this.#removal = { ...room, serving: this.#serving }
    const onOver = (deployment_id: string) => this.#retention.note(deployment_id)
    this.#rollouts = new Rollouts({ ...this.#removal, ...parts, ...this.#limits, onOver })
  }

  /**
   * Begins to look. When it settles, the gateway knows every deployment's name: requests wait until
   * its active revision runs again.
   */
  async start(): Promise<void> {
    for (const deployment of await this.#parts.store.deployments.listAll()) {
      if (deployment.active_revision_id === null) this.#serving.pause(deployment)
      else if (deployment.asleep_since === null) this.#serving.hold(deployment)
      else this.#serving.holdAsleep(deployment)
      this.#retention.note(deployment.id)
    }
    this.#isRunning = true
    this.#unsubscribe = this.#parts.driver.onChange((revision_id) => {
      const deployment_id = this.#runtimes.deploymentOf(revision_id)
      if (deployment_id) this.#tendSoon(deployment_id)
    })
    this.#timer = setInterval(() => this.wake(), this.#limits.lookEveryMs)
    this.wake()
  }

  /** Ends the builds and settles when nothing is being done any more. Runtimes are left as they are. */
  async stop(): Promise<void> {
    this.#isRunning = false
    this.#unsubscribe()
    clearInterval(this.#timer)
    this.#runtimes.stop()
    await this.#retention.stop()
    await this.#looking
    await this.#builds.abort()
    await Promise.all([...this.#tended.values()].map((tending) => tending.ended))
    // A look that was under way may have begun another one.
    await this.#builds.abort()
  }

  /** Looks soon. Any number of calls before that are one. */
  wake(): void {
    if (!this.#isRunning) return
    this.#isWoken = true
    this.#looking ??= this.#lookWhileWoken()
  }

  /**
   * Looks at once, and settles when there is nothing left to do for the deployment but to wait; after
   * a second in any case.
   */
  async whenTended(deployment_id: string): Promise<void> {
    this.wake()
    const tended = async () => {
      await this.#looking
      await this.#tended.get(deployment_id)?.ended
    }
    await Promise.race([tended(), delay(TEND_LIMIT_MS, undefined, { ref: false })])
  }

  async #lookWhileWoken(): Promise<void> {
    while (this.#isWoken && this.#isRunning) {
      this.#isWoken = false
      await this.#look()
    }
    this.#looking = undefined
  }

  async #look(): Promise<void> {
    try {
      const deployments = await this.#parts.store.deployments.listAll()
      for (const { id } of deployments) this.#tendSoon(id)
    } catch (error) {
      this.#parts.log.error({ err: error }, 'the deployments could not be read; looking again')
    }
  }

  #tendSoon(id: string): void {
    if (!this.#isRunning) return
    const tending = this.#tended.get(id)
    if (tending) tending.isWoken = true
    else this.#tended.set(id, { isWoken: true, ended: this.#tendWhileWoken(id) })
  }

  async #tendWhileWoken(id: string): Promise<void> {
    // Lets `#tendSoon` note it first.
    await Promise.resolve()
    const tending = this.#tended.get(id)
    while (tending?.isWoken && this.#isRunning) {
      tending.isWoken = false
      if (await this.#tendSafely(id)) tending.isWoken = true
    }
    this.#tended.delete(id)
  }

  /** `true`: something was done, and there may be more to do at once. */
  async #tendSafely(id: string): Promise<boolean> {
    try {
      return await this.#tend(id)
    } catch (error) {
      const fields = { err: error, deployment_id: id }
      this.#parts.log.error(fields, 'a deployment could not be tended; looking again')
      return false
    }
  }

  async #tend(id: string): Promise<boolean> {
    const deployment = await this.#parts.store.deployments.get(id)
    if (!deployment) return false
    if (deployment.status === 'AWAITING_DELETE') {
      await removeDeployment(deployment, this.#removal)
      return false
    }
    if (deployment.status === 'AWAITING_DATABASE') await this.#makeReady(id)
    if (await endProbation(deployment, { ...this.#parts, ...this.#limits })) return true
    const line = await this.#rollouts.unfinished(id)
    const active = deployment.asleep_since === null ? deployment.active_revision_id : null
    const needed = [active, ...line.map((revision) => revision.id)]
    const wanted = new Set(needed.filter((one) => one !== null))
    this.#builds.retire(id, wanted)
    this.#runtimes.retire(id, wanted)
    if (await this.#serving.tend(deployment, line.length > 0)) return true
    this.#lookWhenDue(deployment)
    return this.#rollouts.advance(deployment, line)
  }

  /** One that sleeps is woken on time, not at the next look. */
  #lookWhenDue({ id, wake_at }: Deployment): void {
    if (wake_at === null) return
    const inMs = Date.parse(wake_at) - this.#parts.clock.now()
    if (inMs > this.#limits.lookEveryMs) return
    setTimeout(() => this.#tendSoon(id), Math.max(0, inMs)).unref()
  }

  /** An agent server makes its database itself, so there is nothing to wait for. */
  async #makeReady(id: string): Promise<void> {
    const updated_at = timestamp(this.#parts.clock)
    await this.#parts.store.transaction(async (store) => {
      // Read again: it may have been deleted meanwhile, which must not be undone.
      const deployment = await store.deployments.get(id)
      if (deployment?.status !== 'AWAITING_DATABASE') return
      await store.deployments.update(id, { status: 'READY', updated_at })
    })
  }
}
