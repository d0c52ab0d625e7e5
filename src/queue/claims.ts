/** Claims runs for this server. It claims few at a time at first, so that other servers get some too. */
import type { AgentStore } from '../core/agent/agent-store.ts'
import type { Claim, ClaimedRun, QueuedRun } from '../core/agent/run.ts'
import type { Log } from '../core/log.ts'
import type { Notices } from '../core/notices.ts'
import type { Liveness, ThisServer } from './liveness.ts'

/** How many runs one statement claims at first, so that other servers get some of a long queue. */
const FIRST_AT_ONCE = 4
/** The most it claims. Each claim that finds as many as it asks for is followed by one for twice as many. */
const MOST_AT_ONCE = 64

interface ClaimsParts {
  store: Pick<AgentStore, 'runs'>
  server: ThisServer
  liveness: Pick<Liveness, 'foreignGraphs' | 'isForeign' | 'look'>
  notices: Notices
  /** How long a claim holds, in ms. */
  leaseMs: number
  log: Log
}

export class Claims {
  readonly #parts: ClaimsParts
  #asked = 0
  #atOnce = FIRST_AT_ONCE

  constructor(parts: ClaimsParts) {
    this.#parts = parts
  }

  /** How many runs the claim under way may return. */
  get asked(): number {
    return this.#asked
  }

  /**
   * Claims up to `room` runs that are due at `now`, in ms since 1970. `areAll`: there were no more. Runs
   * that only another server can execute are left to it. `only`: see `Claim`.
   */
  async take(
    now: number,
    room: number,
    only: NonNullable<Claim['only']>,
  ): Promise<{ claimed: ClaimedRun[]; leaseExpiresAt: number; areAll: boolean }> {
    const leaseExpiresAt = now + this.#parts.leaseMs
    const count = Math.min(room, this.#atOnce)
    const taken = await this.#claim({ now, lease_expires_at: leaseExpiresAt, only }, count)
    const areAll = taken.length < count
    this.#atOnce = areAll ? FIRST_AT_ONCE : Math.min(2 * this.#atOnce, MOST_AT_ONCE)
    const claimed: ClaimedRun[] = []
    for (const one of taken) if (await this.#isOurs(one)) claimed.push(one)
    return { claimed, leaseExpiresAt, areAll }
  }

  async #claim(
    claim: Pick<Claim, 'now' | 'lease_expires_at' | 'only'>,
    count: number,
  ): Promise<ClaimedRun[]> {
    const { store, server, liveness } = this.#parts
    const { server_id } = server
    this.#asked = count
    try {
      const from = { ...claim, server_id, except_graphs: liveness.foreignGraphs }
      return await store.runs.claim(from, count)
    } finally {
      this.#asked = 0
    }
  }

  /** Whether a suspect is pending that this server could claim. */
  hasSuspect(now: number): Promise<boolean> {
    const { store, liveness } = this.#parts
    return store.runs.hasSuspect({ now, except_graphs: liveness.foreignGraphs })
  }

  /**
   * Whether this server keeps the claimed run. `false`: it was left to others. An error here does not
   * keep the other claimed runs from starting.
   */
  async #isOurs(one: ClaimedRun): Promise<boolean> {
    const { run_id } = one.run
    try {
      if (!(await this.#isForeign(one.run))) return true
      await this.#leave(one)
    } catch (err) {
      this.#parts.log.error(
        { run_id, err },
        'could not leave the run to others; its lease runs out',
      )
    }
    return false
  }

  /** Whether only another server has the graph. That server may have started since the last look. */
  async #isForeign(run: QueuedRun): Promise<boolean> {
    const { server, liveness } = this.#parts
    if (server.graphs?.includes(String(run.metadata.graph_id)) ?? true) return false
    await liveness.look()
    return liveness.isForeign(run)
  }

  /** Gives the run back, and notifies the servers that have its graph. */
  async #leave({ lease }: ClaimedRun): Promise<void> {
    const { store, notices } = this.#parts
    await store.runs.giveBack(lease)
    notices.publish({ kind: 'run_waits' })
  }
}
