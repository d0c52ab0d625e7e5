/**
 * Two agent servers on one database, with every `multitask_strategy`, cancels, ends, failures,
 * crashes and lost leases in any order: whatever happens, the runs of a thread come one at a time, in
 * the order received, and end as they were told.
 */
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, vi } from 'vitest'
import { AgentServer } from '../../src/agent-server/server/agent-server.ts'
import type { AgentStore } from '../../src/core/agent/agent-store.ts'
import {
  MULTITASK_STRATEGIES,
  type MultitaskStrategy,
} from '../../src/core/agent/multitask-strategy.ts'
import {
  CANCEL_ACTIONS,
  type CancelAction,
  isTerminal,
  type QueuedRun,
} from '../../src/core/agent/run.ts'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { openAgentStore } from '../../src/storage/agent/store.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import {
  createPuppetHost,
  noteLeases,
  type Order,
  PUPPET_CONFIG,
  readSteps,
  type Session,
} from './puppet.ts'

const SERVERS = 2
const THREADS = 3
const LEASE_MS = 300
/** How long it may take until every thread with runs has one under way. */
const SETTLE_MS = 25_000

interface Create {
  kind: 'create'
  server: number
  thread: number
  strategy: MultitaskStrategy
}

type Move =
  | Create
  /** At the same time, on one thread. */
  | { kind: 'burst'; thread: number; creates: Create[] }
  | { kind: 'cancel'; server: number; which: number; action: CancelAction }
  | { kind: 'tell'; which: number; order: Order }
  | { kind: 'crash' | 'restart'; server: number }
  /** The leases of all run out, as when the machine was asleep. */
  | { kind: 'lapse' }
  | { kind: 'settle' }

const server = fc.nat({ max: SERVERS - 1 })
const thread = fc.nat({ max: THREADS - 1 })
const which = fc.nat({ max: 99 })
const create: fc.Arbitrary<Create> = fc.record({
  kind: fc.constant('create'),
  server,
  thread,
  strategy: fc.constantFrom(...MULTITASK_STRATEGIES),
})

const anyMove: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: create },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('burst'),
      thread,
      creates: fc.array(create, { minLength: 2, maxLength: 6 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('cancel'),
      server,
      which,
      action: fc.constantFrom(...CANCEL_ACTIONS),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('tell'),
      which,
      order: fc.constantFrom('step', 'step', 'finish', 'fail'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('crash', 'restart'), server }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lapse') }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('settle') }) },
)

/** Plays `count` random games; the seed repeats them. Throws what the first lost one shows. */
export async function checkRunLines({ count, seed }: { count: number; seed: number }) {
  const property = fc.asyncProperty(fc.array(anyMove, { minLength: 5, maxLength: 40 }), play)
  await fc.assert(property, { numRuns: count, seed, endOnFailure: true })
}

async function play(moves: Move[]): Promise<void> {
  const game = await Game.begin()
  try {
    for (const move of moves) await game.make(move)
    await game.drain()
    await game.review()
  } finally {
    await game.end()
  }
}

interface Running {
  server: AgentServer
  store: AgentStore
}

/** What may become of a run, by what was asked of it. */
type Fate = 'finish' | 'fail' | CancelAction

class Game {
  readonly #dataDir: string
  /** Looks at the database from outside. */
  readonly #store: AgentStore
  readonly #threads: string[] = []
  readonly #servers: Running[] = []
  readonly #sessions: Session[] = []
  /** By run, in the order created. */
  readonly #fates = new Map<string, Set<Fate>>()
  readonly #mustBeGone = new Set<string>()
  readonly #problems: string[] = []
  #skippedMs = 0
  #isDraining = false

  static async begin(): Promise<Game> {
    const dataDir = temporaryFolder()
    const game = new Game(dataDir, await openAgentStore(join(dataDir, 'agent.db')))
    for (let i = 0; i < SERVERS; i += 1) game.#servers.push(await game.#start())
    for (let i = 0; i < THREADS; i += 1) {
      const answer = await game.#post(0, '/threads', {})
      game.#threads.push(((await answer.json()) as { thread_id: string }).thread_id)
    }
    return game
  }

  private constructor(dataDir: string, store: AgentStore) {
    this.#dataDir = dataDir
    this.#store = store
  }

  async make(move: Move): Promise<void> {
    switch (move.kind) {
      case 'create':
        await this.#create(move)
        return
      case 'burst':
        return this.#burst(move)
      case 'cancel':
        return this.#cancel(move)
      case 'tell':
        return this.#tell(move)
      case 'crash':
      case 'restart':
        return this.#replace(move)
      case 'lapse':
        this.#skippedMs += LEASE_MS + 1
        return
      case 'settle':
        return this.#settle()
    }
  }

  /** Lets every run come to its end. */
  async drain(): Promise<void> {
    this.#isDraining = true
    for (const session of this.#live()) this.#order(session, 'finish')
    await vi.waitFor(async () => expect(await this.#active()).toEqual([]), {
      timeout: SETTLE_MS * 2,
      interval: 10,
    })
  }

  async review(): Promise<void> {
    expect(this.#problems).toEqual([])
    for (const [run_id, fates] of this.#fates) {
      expect([...fates, 'nothing else'], `how run ${run_id} ended`).toContain(
        fateOf(await this.#store.runs.get(run_id)),
      )
    }
    for (const run_id of this.#mustBeGone)
      expect(await this.#store.runs.get(run_id)).toBeUndefined()
    for (const thread_id of this.#threads) await this.#reviewThread(thread_id)
  }

  async end(): Promise<void> {
    for (const { server, store } of this.#servers) {
      await server.stop({ graceMs: 0 })
      await store.close()
    }
    await this.#store.close()
    await rm(this.#dataDir, { recursive: true, force: true })
  }

  /** The steps of each run are together, in the order received; of a run that is gone there is none. */
  async #reviewThread(thread_id: string): Promise<void> {
    const { status } = (await this.#store.threads.get(thread_id)) ?? expect.fail('thread gone')
    expect(['idle', 'error']).toContain(status)
    const steps = await readSteps(this.#store.checkpoints, thread_id)
    const kept = (await this.#store.threads.getState(thread_id))?.values
    expect({ steps: [], ...(kept as object) }, 'what is kept with the thread').toEqual({ steps })
    const order = steps.filter((run_id, i) => run_id !== steps[i - 1])
    const runs = await Promise.all(order.map((run_id) => this.#store.runs.get(run_id)))
    const seqs = runs.map((run) => run?.seq ?? expect.fail('a step of a run that is gone'))
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
    expect(new Set(seqs).size).toBe(seqs.length)
    for (const run_id of this.#fates.keys()) {
      const own = this.#sessions.filter((one) => one.run_id === run_id)
      const run = await this.#store.runs.get(run_id)
      if (own[0]?.thread_id !== thread_id || !run) continue
      const left = steps.filter((one) => one === run_id).length
      // What waits for the next step may be lost with its server.
      const written = run.kwargs.durability === 'sync' ? own : []
      expect(left).toBeGreaterThanOrEqual(written.reduce((sum, one) => sum + one.written, 0))
      expect(left).toBeLessThanOrEqual(own.reduce((sum, one) => sum + one.begun, 0))
    }
  }

  /** Each may have superseded any other: which was first is seen from their numbers only. */
  async #burst({ thread, creates }: Extract<Move, { kind: 'burst' }>): Promise<void> {
    const created = await Promise.all(creates.map((one) => this.#create({ ...one, thread })))
    const strategies = creates.map((one) => one.strategy)
    for (const action of CANCEL_ACTIONS.filter((one) => strategies.includes(one))) {
      for (const run_id of created) if (run_id) this.#fates.get(run_id)?.add(action)
    }
  }

  /** Answers the run's id; `undefined`: the thread was busy, and the strategy is `reject`. */
  async #create({ server, thread, strategy }: Create): Promise<string | undefined> {
    const thread_id = this.#threads[thread] as string
    const before = await this.#store.runs.listActive(thread_id)
    const durability = this.#fates.size % 2 === 0 ? 'sync' : 'async'
    const body = { assistant_id: 'puppet', multitask_strategy: strategy, durability }
    const answer = await this.#post(server, `/threads/${thread_id}/runs`, body)
    const after = await this.#store.runs.listActive(thread_id)
    if (answer.status === 409 && strategy === 'reject') {
      if (before.length + after.length === 0) this.#complain('refused on a free thread')
      return undefined
    }
    if (answer.status !== 200) {
      this.#complain(`create answered ${answer.status}`)
      return undefined
    }
    const { run_id } = (await answer.json()) as { run_id: string }
    this.#fates.set(run_id, new Set())
    // A run that is gone already had a later one come before this look: of that nothing is known.
    const seq = (await this.#store.runs.get(run_id))?.seq ?? 0
    const older = [...before, ...after.filter((run) => run.seq < seq)]
    if (strategy === 'reject' && older.some((run) => after.some((one) => one.seq === run.seq))) {
      this.#complain('accepted on a busy thread')
    }
    if (strategy !== 'interrupt' && strategy !== 'rollback') return run_id
    for (const run of older) await this.#condemn(run.run_id, strategy)
    return run_id
  }

  async #cancel({ server, which, action }: Extract<Move, { kind: 'cancel' }>): Promise<void> {
    const active = await this.#active()
    const run = active[which % active.length]
    if (!run) return
    this.#fates.get(run.run_id)?.add(action)
    const path = `/threads/${run.thread_id}/runs/${run.run_id}/cancel?action=${action}`
    const { status } = await this.#post(server, path)
    if (![202, 404].includes(status)) return this.#complain(`cancel answered ${status}`)
    if (status === 202) await this.#condemn(run.run_id, action)
  }

  /** A rollback that was taken note of before the run's end is not forgotten. */
  async #condemn(run_id: string, action: CancelAction): Promise<void> {
    this.#fates.get(run_id)?.add(action)
    const run = await this.#store.runs.get(run_id)
    if (action === 'rollback' && run && !isTerminal(run.status)) this.#mustBeGone.add(run_id)
  }

  #tell({ which, order }: Extract<Move, { kind: 'tell' }>): void {
    const live = this.#live()
    const session = live[which % live.length]
    if (session) this.#order(session, order)
  }

  #order(session: Session, order: Order): void {
    if (order !== 'step') this.#fates.get(session.run_id)?.add(order)
    session.tell(order)
  }

  /** Another server in the place of one that dies without a word, or stops in order. */
  async #replace({ kind, server }: { kind: 'crash' | 'restart'; server: number }): Promise<void> {
    const old = this.#servers[server] as Running
    if (kind === 'crash') {
      await old.store.close()
      // It has no database any more, and finds out.
      await old.server.stop({ graceMs: 0 }).catch(() => {})
      this.#skippedMs += LEASE_MS + 1
    } else {
      await old.server.stop({ graceMs: 0 })
      await old.store.close()
    }
    this.#servers[server] = await this.#start()
  }

  /** Waits until every thread that has runs has one under way: nothing is stuck. */
  async #settle(): Promise<void> {
    const isServed = async (thread_id: string) => {
      const live = this.#live().filter((one) => one.thread_id === thread_id)
      const held = await Promise.all(live.map((one) => this.#store.runs.holds(one.lease)))
      return held.includes(true)
    }
    const check = async () => {
      const busy = new Set((await this.#active()).map((run) => run.thread_id))
      for (const thread_id of busy)
        expect(await isServed(thread_id), 'a run is under way').toBe(true)
    }
    await vi.waitFor(check, { timeout: SETTLE_MS, interval: 10 })
  }

  async #start(): Promise<Running> {
    const store = await openAgentStore(join(this.#dataDir, 'agent.db'))
    const noted = noteLeases(store)
    const server = new AgentServer({
      store: noted.store,
      config: PUPPET_CONFIG,
      host: createPuppetHost(store, noted.leaseOf, (session) => this.#begin(session)),
      apiKeys: [],
      version: '0.0.0-test',
      leaseMs: LEASE_MS,
      clock: { now: () => systemClock.now() + this.#skippedMs },
      log: silentLog,
    })
    await server.start()
    return { server, store }
  }

  /** Called when a run begins: no other one of its thread may be entitled to write. */
  async #begin(session: Session): Promise<void> {
    const others = this.#live().filter((one) => one.thread_id === session.thread_id)
    this.#sessions.push(session)
    for (const other of others) {
      const both = await this.#holdBoth(session, other)
      if (both) this.#complain(`runs ${session.run_id} and ${other.run_id} at once`)
    }
    if (this.#isDraining) this.#order(session, 'finish')
  }

  #holdBoth(one: Session, other: Session): Promise<boolean> {
    return this.#store.transaction(
      async (tx) => (await tx.runs.holds(one.lease)) && (await tx.runs.holds(other.lease)),
    )
  }

  #live(): Session[] {
    return this.#sessions.filter((session) => !session.isOver)
  }

  #active(): Promise<QueuedRun[]> {
    return this.#store.runs.listWithStatus(['pending', 'running'], { after: 0, limit: 1000 })
  }

  async #post(server: number, path: string, body?: object): Promise<Response> {
    const { app } = (this.#servers[server] as Running).server
    const payload = body ? { body: JSON.stringify(body) } : {}
    return app.request(path, {
      method: 'POST',
      headers: { 'idempotency-key': randomUUID() },
      ...payload,
    })
  }

  #complain(problem: string): void {
    this.#problems.push(problem)
  }
}

/** What must have been asked of the run for it to be so now. */
function fateOf(run: QueuedRun | undefined): Fate | 'nothing else' | 'unended' {
  if (!run) return 'rollback'
  switch (run.status) {
    case 'success':
      return 'finish'
    case 'interrupted':
      return 'interrupt'
    case 'error':
      return run.error?.error === 'RunAttemptsExhausted' ? 'nothing else' : 'fail'
    default:
      return 'unended'
  }
}
