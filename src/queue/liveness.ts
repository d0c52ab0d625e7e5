/**
 * Records which servers work on the database, and frees the runs of dead ones: those of this host at
 * once, those of other hosts when their leases expire.
 */
import type { AgentStore } from '../core/agent/agent-store.ts'
import type { Lease, QueuedRun } from '../core/agent/run.ts'
import { LOST_SERVER_MS, type ServerRecord } from '../core/agent/server/server.ts'
import type { Clock } from '../core/clock.ts'
import { timestamp } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { isAlive, startedAt } from './host-processes.ts'

/**
 * This process: `hostId()` and `process.pid`, with a new id for every start. Without `graphs` it executes
 * all graphs.
 */
export type ThisServer = Pick<ServerRecord, 'server_id' | 'host' | 'pid'> &
  Partial<Pick<ServerRecord, 'graphs'>>

/** Ends a run in error when its attempts are used up. It is called again until the run has ended. */
export type OnExhausted = (run: QueuedRun, lease: Lease) => Promise<void>

interface LivenessParts {
  store: Pick<AgentStore, 'runs' | 'servers'>
  server: ThisServer
  /** Called when runs became claimable. */
  onReleased: () => void
  clock: Clock
  log: Log
}

/**
 * A living server writes a sign of life and looks for others every second. After this long without one,
 * in ms, its pid may belong to another process.
 */
const SILENT_MS = 3_000
/** By how much a start time from the system may be wrong, in ms. */
const START_SLACK_MS = 1_000
/**
 * How long a server of another host, or of an earlier boot, is remembered after its last sign of life, in
 * ms.
 */
const FORGET_MS = 24 * 3_600_000

export class Liveness {
  readonly #parts: LivenessParts
  /** Set by `start`. */
  #onExhausted: OnExhausted | undefined
  #foreignGraphs: readonly string[] = []
  #isAlone = false
  /** When this server last looked at the others, and since when without a pause, in ms since 1970. */
  #lookedAt = Number.NEGATIVE_INFINITY
  #looksSince = Number.NEGATIVE_INFINITY

  constructor(parts: LivenessParts) {
    this.#parts = parts
  }

  /** The graphs that another server executes and this one does not, as of the last look. */
  get foreignGraphs(): readonly string[] {
    return this.#foreignGraphs
  }

  /** Whether no other server is in the record, as of the last look, which was less than two seconds ago. */
  get isAlone(): boolean {
    return this.#isAlone
  }

  /** Whether only another server executes the run's graph. */
  isForeign({ metadata }: QueuedRun): boolean {
    return this.#foreignGraphs.includes(String(metadata.graph_id))
  }

  /** Registers this server and frees the runs of dead ones, before it settles. */
  async start(onExhausted: OnExhausted): Promise<void> {
    this.#onExhausted = onExhausted
    const { store, server, clock } = this.#parts
    const now = clock.now()
    const { graphs = [] } = server
    await store.servers.register({ ...server, graphs, started_at: timestamp(clock), seen_at: now })
    await this.sweep()
  }

  /** Looks at the other servers and at the leases once. The queue calls it every second. */
  async sweep(): Promise<void> {
    const { store, server, clock } = this.#parts
    const now = clock.now()
    await store.servers.seen(server.server_id, now)
    const others = await this.look()
    const dead = others.filter((one) => this.#isDead(one, now)).map((one) => one.server_id)
    await this.#release(now, dead)
    for (const server_id of dead) await this.#forget(server_id)
  }

  /** Reads which other servers work on this database, and which graphs they have. */
  async look(): Promise<ServerRecord[]> {
    const { store, server } = this.#parts
    const servers = await store.servers.list()
    this.#noteLook()
    const others = servers.filter((one) => one.server_id !== server.server_id)
    this.#isAlone = others.length === 0
    const living = others.filter((one) => !this.#isLost(one))
    const { graphs: own } = server
    const theirs = new Set(living.flatMap(({ graphs }) => graphs))
    this.#foreignGraphs = own ? [...theirs].filter((one) => !own.includes(one)) : []
    return others
  }

  /** Removes this server from the record: it no longer holds a lease. */
  async stop(): Promise<void> {
    await this.#parts.store.servers.remove(this.#parts.server.server_id)
  }

  #noteLook(): void {
    const now = this.#parts.clock.now()
    if (now - this.#lookedAt > SILENT_MS) this.#looksSince = now
    this.#lookedAt = now
  }

  /**
   * Whether the other server gave no sign of life for too long. The time in which this server could not
   * look does not count: a missing database may have kept both from it.
   */
  #isLost({ seen_at }: ServerRecord): boolean {
    return Math.max(seen_at, this.#looksSince) <= this.#lookedAt - LOST_SERVER_MS
  }

  async #release(now: number, dead_servers: string[]): Promise<void> {
    const { released, exhausted } = await this.#parts.store.runs.release({ now, dead_servers })
    if (released.length > 0) {
      this.#parts.log.warn({ runs: released }, 'took up runs whose server or graph host died')
      this.#parts.onReleased()
    }
    // Only a server that has the graph can read what the run has done.
    for (const { run, lease } of exhausted) if (!this.isForeign(run)) await this.#end(run, lease)
  }

  async #end(run: QueuedRun, lease: Lease): Promise<void> {
    const { log, onReleased } = this.#parts
    try {
      log.error({ run_id: run.run_id, attempt: run.attempt }, 'the run used up its attempts')
      await this.#onExhausted?.(run, lease)
      onReleased()
    } catch (error) {
      log.error({ run_id: run.run_id, err: error }, 'could not end the run; it is tried again')
    }
  }

  async #forget(server_id: string): Promise<void> {
    this.#parts.log.info({ server_id }, 'forgot a server that is gone')
    await this.#parts.store.servers.remove(server_id)
  }

  #isDead(other: ServerRecord, now: number): boolean {
    if (other.host !== this.#parts.server.host) return now - other.seen_at > FORGET_MS
    if (!isAlive(other.pid)) return true
    const started = startedAt(other.pid)
    if (started === undefined) return false
    const registered = Date.parse(other.started_at)
    // Our own start time is certain. That of another process comes from a clock that may have been set
    // since, so it counts only when the server is silent too.
    if (other.pid === process.pid) return started > registered
    return started > registered + START_SLACK_MS && now - other.seen_at > SILENT_MS
  }
}
