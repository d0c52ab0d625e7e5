/** Any history of a line of runs, against the plainest picture of what it must be. */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AgentStore } from '../../src/core/agent/agent-store.ts'
import { MAX_RUN_ATTEMPTS } from '../../src/core/agent/retry.ts'
import type { Lease } from '../../src/core/agent/run.ts'
import { type AgentStoreWorld, aRun, aThread, LATER } from '../support/agent/agent-records.ts'
import { claimRun } from '../support/agent/claim-run.ts'

interface PicturedRun {
  run_id: string
  thread_id: string
  available_at: number
  attempt: number
  lease: Lease | undefined
}

type Step =
  | { kind: 'insert'; thread: number; delay: number }
  | { kind: 'wait' | 'claim' | 'die' }
  | { kind: 'finish' | 'giveBack' | 'interrupt' | 'delete'; which: number }

const which = fc.nat({ max: 9 })
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('insert'),
      thread: fc.nat({ max: 3 }),
      delay: fc.constantFrom(0, 0, 1, 3),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('claim') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('wait', 'die') }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('finish', 'giveBack', 'interrupt', 'delete'),
      which,
    }),
  },
)

export function testRunOrder(world: () => AgentStoreWorld): void {
  describe('the line of runs', () => {
    it('is what its history makes it, whatever happens in it', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyStep, { maxLength: 60 }), async (steps) => {
          const line = await Line.begin(world().store)
          for (const step of steps) await line.take(step)
          await line.drain()
        }),
        { numRuns: 60 },
      )
    }, 30_000)
  })
}

class Line {
  readonly #store: AgentStore
  readonly #threads: string[]
  /** Those pending or running, in the order received. */
  #runs: PicturedRun[] = []
  #now = 1_795_000_000_000

  static async begin(store: AgentStore): Promise<Line> {
    const threads = Array.from({ length: 4 }, () => aThread())
    for (const thread of threads) await store.threads.insert(thread)
    return new Line(
      store,
      threads.map((thread) => thread.thread_id),
    )
  }

  private constructor(store: AgentStore, threads: string[]) {
    this.#store = store
    this.#threads = threads
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'insert':
        return this.#insert(this.#threads[step.thread] as string, this.#now + step.delay)
      case 'wait':
        this.#now += 1
        return
      case 'claim':
        await this.#claim()
        return
      case 'die':
        return this.#die()
      default:
        return this.#change(step.kind, this.#runs[step.which % this.#runs.length])
    }
  }

  /** Every run that is left is handed out, in its order. */
  async drain(): Promise<void> {
    this.#now += 10
    for (const run of this.#runs.filter((one) => one.lease)) await this.#change('finish', run)
    while (this.#runs.length > 0) await this.#change('finish', await this.#claim())
    expect(await this.#claim()).toBeUndefined()
  }

  async #insert(thread_id: string, available_at: number): Promise<void> {
    const run_id = randomUUID()
    await this.#store.runs.insert(aRun({ run_id, thread_id, available_at }))
    this.#runs.push({ run_id, thread_id, available_at, attempt: 0, lease: undefined })
  }

  async #claim(): Promise<PicturedRun | undefined> {
    const busy = new Set(this.#runs.filter((run) => run.lease).map((run) => run.thread_id))
    const next = this.#runs.find(
      (run) => !run.lease && run.available_at <= this.#now && !busy.has(run.thread_id),
    )
    const claim = { server_id: 's', now: this.#now, lease_expires_at: this.#now + 1000 }
    const claimed = await claimRun(this.#store, claim)
    expect(claimed?.run.run_id).toBe(next?.run_id)
    if (!next || !claimed) return undefined
    next.attempt += 1
    next.lease = claimed.lease
    expect(claimed.run.attempt).toBe(next.attempt)
    return next
  }

  async #die(): Promise<void> {
    const { released, exhausted } = await this.#store.runs.release({
      now: this.#now,
      dead_servers: ['s'],
    })
    const running = this.#runs.filter((run) => run.lease)
    const mayGoOn = running.filter((run) => run.attempt < MAX_RUN_ATTEMPTS)
    expect(released.toSorted()).toEqual(mayGoOn.map((run) => run.run_id).toSorted())
    expect(exhausted).toHaveLength(running.length - mayGoOn.length)
    for (const run of mayGoOn) {
      expect(await this.#store.runs.holds(run.lease as Lease)).toBe(false)
      run.lease = undefined
    }
  }

  async #change(kind: 'finish' | 'giveBack' | 'interrupt' | 'delete', run?: PicturedRun) {
    if (!run) return
    const { runs } = this.#store
    const lease = run.lease ?? { run_id: run.run_id, server_id: 's', token: 0 }
    const end = { status: 'success', error: null, updated_at: LATER } as const
    const isDone =
      (kind === 'finish' && (await runs.finish(lease, end))) ||
      (kind === 'giveBack' && (await runs.giveBack(lease))) ||
      (kind === 'interrupt' && (await runs.interruptPending(run.run_id, LATER))) ||
      (kind === 'delete' && (await runs.delete(run.run_id)))
    const isRunning = run.lease !== undefined
    expect(isDone).toBe(kind === 'delete' || isRunning === (kind !== 'interrupt'))
    if (!isDone) return
    if (kind !== 'giveBack') this.#runs = this.#runs.filter((one) => one !== run)
    run.lease = undefined
    run.attempt -= 1
  }
}
