/**
 * Makes the world match the record: rolls revisions out, keeps deployments serving, and removes deleted
 * ones. It takes no input: it reads the record, observes the runtime driver, does the next step, and
 * looks again: when it is woken, when a runtime or a build changes, and on a timer.
 *
 * It tends each deployment by itself, one look at a time; no deployment waits for another. Builds and
 * the end of replaced agent servers go on in the background.
 */

import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { nextDeploymentStep } from '../../core/rollout/next-step.ts'
import type { Timers } from '../../core/rollout/observed.ts'
import type { DeploymentStep } from '../../core/rollout/step.ts'
import { targetAtRest } from '../../core/rollout/target-wanted.ts'
import { timersAfter } from '../../core/rollout/timers.ts'
import { Builds } from './builds.ts'
import { entranceWanted, Observer } from './observation.ts'
import { Retention } from './retention.ts'
import { Retirements } from './retirements.ts'
import { DEFAULT_LIMITS, type ReconcilerLimits, type ReconcilerParts } from './rollout-parts.ts'
import { Steps } from './steps.ts'

/** How long a request waits for a look, in ms. */
const TEND_LIMIT_MS = 1000

export class Reconciler {
  readonly #parts: ReconcilerParts
  readonly #limits: ReconcilerLimits
  readonly #builds: Builds
  readonly #retirements: Retirements
  readonly #retention: Retention
  readonly #observer: Observer
  readonly #steps: Steps
  /** Deployments being tended, and whether to look at them once more afterwards. */
  readonly #tended = new Map<string, { isWoken: boolean; ended: Promise<void> }>()
  /** All that the reconciler remembers of a deployment from look to look. */
  readonly #timers = new Map<string, Timers>()
  readonly #stopping = new AbortController()
  #isRunning = false
  #isWoken = false
  #looking: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #unsubscribe = () => {}

  constructor(parts: ReconcilerParts, limits: Partial<ReconcilerLimits> = {}) {
    this.#parts = parts
    this.#limits = { ...DEFAULT_LIMITS, ...limits }
    const all = { ...parts, ...this.#limits, limits: this.#limits }
    this.#builds = new Builds({ ...all, onEnd: () => this.wake() })
    this.#retirements = new Retirements(all)
    this.#retention = new Retention(all)
    const rooms = {
      stopping: this.#stopping.signal,
      builds: this.#builds,
      retirements: this.#retirements,
      retention: this.#retention,
    }
    this.#observer = new Observer({ ...all, ...rooms })
    this.#steps = new Steps({ ...all, ...rooms, lookAt: (id) => this.#tendSoon(id) })
  }

  /**
   * Begins to look. When it settles, the gateway knows every deployment's name: requests wait until
   * its active revision runs again.
   */
  async start(): Promise<void> {
    const { store, targets } = this.#parts
    for (const deployment of await store.deployments.listAll()) {
      targets.enter(deployment.name, await entranceWanted(store, deployment))
      const { active_revision_id: active, asleep_since } = deployment
      const target = targetAtRest({
        active: active === null ? null : {},
        isAsleep: asleep_since !== null,
      })
      await this.#steps.take(target, { deployment, revisions: [] })
      this.#retention.note(deployment.id)
    }
    this.#isRunning = true
    this.#unsubscribe = this.#parts.driver.onChange((_, id) => this.#tendSoon(id))
    this.#timer = setInterval(() => this.wake(), this.#limits.lookEveryMs)
    this.wake()
  }

  /** Ends the builds and settles when nothing is being done any more. Runtimes are left as they are. */
  async stop(): Promise<void> {
    this.#isRunning = false
    this.#stopping.abort()
    this.#unsubscribe()
    clearInterval(this.#timer)
    this.#retirements.stop()
    await this.#retention.stop()
    await this.#looking
    await this.#builds.handOver()
    await Promise.all([...this.#tended.values()].map((tending) => tending.ended))
    // A look that was under way may have begun another one.
    await this.#builds.handOver()
  }

  /** Looks soon. Any number of calls before that are one. */
  wake(): void {
    if (!this.#isRunning) return
    this.#isWoken = true
    this.#looking ??= this.#lookWhileWoken()
  }

  /**
   * Looks at once, and settles when nothing is left to do for the deployment but to wait; after a second in
   * any case.
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
      for (const id of await this.#parts.store.deployments.listIds()) this.#tendSoon(id)
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
      await this.#tendSafely(id)
    }
    this.#tended.delete(id)
  }

  async #tendSafely(id: string): Promise<void> {
    try {
      await this.#tend(id)
    } catch (error) {
      if (this.#stopping.signal.aborted) return
      const fields = { err: error, deployment_id: id }
      this.#parts.log.error(fields, 'a deployment could not be tended; looking again')
    }
  }

  /** Takes one step after the other until there is none, or until one has changed nothing. */
  async #tend(id: string): Promise<void> {
    let last: DeploymentStep | undefined
    while (this.#isRunning) {
      const seen = await this.#observer.observe(id, this.#timers.get(id))
      if (!seen) {
        this.#timers.delete(id)
        return
      }
      const { timers, now } = seen.observed
      const decision = nextDeploymentStep(seen.observed)
      const { step } = decision
      this.#timers.set(id, step ? timersAfter(step, timers, now) : timers)
      if (!step) return this.#lookAt(id, decision.until)
      if (isDeepStrictEqual(step, last)) return
      const fields = { deployment_id: id, step: step.kind, why: decision.why }
      this.#parts.log.debug(fields, 'the next step')
      await this.#steps.take(step, seen)
      last = step
    }
  }

  /** Looks on time at work that is due before the next look. */
  #lookAt(id: string, moment: number | null): void {
    if (moment === null) return
    const inMs = moment - this.#parts.clock.now()
    if (inMs > this.#limits.lookEveryMs) return
    setTimeout(() => this.#tendSoon(id), Math.max(0, inMs)).unref()
  }
}
