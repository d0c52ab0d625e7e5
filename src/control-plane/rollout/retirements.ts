/** Drains and stops the agent servers of replaced revisions. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ReconcilerLimits, ReconcilerParts } from './rollout-parts.ts'

/** How long beyond its limits an agent server may take to report its drain, in ms. */
const UNANSWERED_MS = 5_000

type RetirementsOptions = Pick<ReconcilerParts, 'driver' | 'targets' | 'log'> &
  Pick<ReconcilerLimits, 'drainMs' | 'checkpointMs' | 'stopGraceMs'>

/** Nothing is remembered beyond this process, whose end is the end of all that it has started. */
export class Retirements {
  readonly #options: RetirementsOptions
  readonly #going = new Set<string>()
  #isStopped = false

  constructor(options: RetirementsOptions) {
    this.#options = options
  }

  has(revision_id: string): boolean {
    return this.#going.has(revision_id)
  }

  /**
   * Its runs end or are handed on to the new revision, and its requests end: those that wait for a run see
   * it end wherever it is executed. Streams that are still open go on at the new revision, or are cut and
   * resumed there. `onDrained` gets the time of its next due work, in ms since 1970. Resolves to `true` when
   * nothing of it is left, to `false` after a failure: a later look tries again.
   */
  async retire(revision_id: string, onDrained: (due: number) => Promise<void>): Promise<boolean> {
    const { driver, targets, drainMs, stopGraceMs, log } = this.#options
    this.#going.add(revision_id)
    try {
      const drainRuns = async () => {
        const due = await this.#drainRuns(revision_id)
        if (due !== undefined) await onDrained(due)
      }
      await Promise.all([drainRuns(), targets.drain({ revision_id }, drainMs)])
      if (!this.#isStopped) await driver.stop(revision_id, stopGraceMs)
      return true
    } catch (error) {
      log.error({ err: error, revision_id }, 'an agent server could not be ended; trying again')
      return false
    } finally {
      this.#going.delete(revision_id)
    }
  }

  /** Leaves draining agent servers to the stop of all runtimes. */
  stop(): void {
    this.#isStopped = true
  }

  #drainRuns(revision_id: string): Promise<number | undefined> {
    const { driver, drainMs, checkpointMs } = this.#options
    // An agent server that no longer answers must not block this.
    const late = delay(drainMs + checkpointMs + UNANSWERED_MS, undefined, { ref: false })
    const limits = { graceMs: drainMs, checkpointMs }
    return Promise.race([driver.drain(revision_id, limits), late])
  }
}
