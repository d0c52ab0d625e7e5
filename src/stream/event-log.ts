/** The event log of the runs: writing, and following while they run or afterwards. */
import type { AgentStore } from '../core/agent/agent-store.ts'
import {
  isEnd,
  isLogged,
  type LoggedEvent,
  type NewEvent,
  type RunEnd,
  type RunEvent,
  type ThreadEvent,
} from '../core/agent/event.ts'
import type { Clock } from '../core/clock.ts'
import { AppError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { type Notice, type Notices, noNotices } from '../core/notices.ts'
import type { Announcer } from './announcer.ts'
import { type AppendTarget, BatchedAppends } from './batched-appends.ts'
import { Follower } from './follower.ts'
import { LiveRun, type RingLimits } from './live-run.ts'
import { LiveThread } from './live-thread.ts'
import { followThread, type ThreadStart } from './thread-follower.ts'

export interface EventLogParts {
  store: Pick<AgentStore, 'threads' | 'runs' | 'events'>
  /** Whether the run executes in this process now. */
  isLocal: (run_id: string) => boolean
  /** How other servers are told of events, and tell. Default: not at all; each asks all the time. */
  notices?: Notices
  /** How long the events of a run are kept after its end, in ms. One hour. */
  retentionMs?: number
  /** How much of each followed run is kept in memory. 1,024 events, 1 MiB of text. */
  ring?: RingLimits
  clock: Clock
  log: Log
}

const DEFAULT_RETENTION_MS = 3_600_000
const DEFAULT_RING: RingLimits = { events: 1_024, chars: 1_048_576 }
/** How often expired events are removed, in ms. */
const EXPIRE_MS = 60_000
/** Greater than every `run_seq`: of what follows it, only the end is left. */
const NOTHING_BUT_THE_END = Number.MAX_SAFE_INTEGER

export class EventLog {
  readonly #parts: EventLogParts
  readonly #appends: BatchedAppends
  /** The runs that are followed now. */
  readonly #live = new Map<string, LiveRun>()
  /** The threads that are followed now. */
  readonly #threads = new Map<string, LiveThread>()
  #expiry: NodeJS.Timeout | undefined
  #expiring: Promise<void> = Promise.resolve()
  readonly #notices: Notices
  #unsubscribe = () => {}
  #isStopped = false

  constructor(parts: EventLogParts) {
    this.#parts = parts
    this.#notices = parts.notices ?? noNotices
    const onWritten = (events: RunEvent[]) => this.deliver(events)
    this.#appends = new BatchedAppends(parts.store.events, parts.clock, onWritten)
  }

  /**
   * Begins to hear of what other servers write, and to remove expired events. Writing and following
   * work without it.
   */
  start(): void {
    this.#unsubscribe = this.#notices.subscribe((notice) => this.#onNotice(notice))
    this.#expiry = setInterval(() => {
      this.#expiring = this.#expire()
    }, EXPIRE_MS)
  }

  /** Writes what was appended, then ends everybody's following with `unavailable`. */
  async stop(): Promise<void> {
    clearInterval(this.#expiry)
    await this.#expiring
    await this.#appends.settle()
    this.#unsubscribe()
    this.#isStopped = true
    this.#announceAll()
  }

  /**
   * Appends to a run, in order, and settles when the events are written; only then do followers see
   * them. Appends of one turn of the event loop share a transaction. `false`: the lease was lost and
   * nothing was written. Rejects when the database does: then nothing was written either, or nobody can
   * tell. Not to be awaited within a transaction of the store, whose end it waits for. Events that
   * `mayWait` are written with what comes next, within 10 ms at the latest.
   */
  append(to: AppendTarget, events: NewEvent[], how?: { mayWait: boolean }): Promise<boolean> {
    return this.#appends.append(to, events, how)
  }

  /**
   * Takes back what was appended and is not being written yet, once all before it is: for a transaction
   * that writes it with the run's end.
   */
  takeBack(to: AppendTarget): Promise<NewEvent[]> {
    return this.#appends.takeBack(to)
  }

  /**
   * Hands followers what was written to the store in another way: the last events and the end, which
   * go into the transaction that ends the run. To be called after the commit, with the events in order.
   */
  deliver(events: RunEvent[]): void {
    const runs = new Map(events.map(({ run_id, thread_id }) => [run_id, thread_id]))
    for (const event of events) if (isLogged(event)) this.#live.get(event.run_id)?.add(event)
    for (const [run_id, thread_id] of runs) this.#announce(thread_id, run_id)
  }

  /** Wakes who follows the thread, after the commit: what was written is of no run, or it is gone. */
  announceThread(thread_id: string): void {
    this.#announce(thread_id, null)
  }

  #announce(thread_id: string, run_id: string | null): void {
    this.#threads.get(thread_id)?.announce()
    this.#notices.publish({ kind: 'events', thread_id, run_id })
  }

  /** Followers read what another server wrote from the store. */
  #onNotice(notice: Notice): void {
    if (notice.kind === 'missed') this.#announceAll()
    if (notice.kind !== 'events') return
    this.#threads.get(notice.thread_id)?.announce()
    if (notice.run_id !== null) this.#live.get(notice.run_id)?.announce()
  }

  #announceAll(): void {
    for (const live of this.#live.values()) live.announce()
    for (const thread of this.#threads.values()) thread.announce()
  }

  /**
   * The run's events with a `run_seq` greater than `after` (-1: all), in order, without gap or
   * repeat. Only the end of the run ends it: the last event is always the `END_EVENT`, whatever
   * `after` is. Everything else is thrown: the signal's reason, `unavailable` when the log stops.
   * So who sees a normal end may take the run for over.
   *
   * Where the end event cannot be read any more (expired) or the run was removed, one is made up
   * from the run's status, with `seq` 0. The run must exist, or it is taken for removed. A slow
   * reader costs no memory: what has left the ring is read from the store.
   */
  async *follow(
    run_id: string,
    options: { after: number; signal: AbortSignal },
  ): AsyncGenerator<LoggedEvent, void, undefined> {
    const { ring = DEFAULT_RING } = this.#parts
    const live = opened(this.#live, run_id, () => new LiveRun(ring))
    try {
      yield* new Follower(this.#sourceOf(run_id, live), run_id, options).events()
    } finally {
      closed(this.#live, run_id, live)
    }
  }

  /**
   * The thread's events with a `seq` greater than `after` (0: all; `undefined`: those from now on),
   * in order, without gap or repeat, over all runs and those of none; `END_EVENT`s too. It ends when
   * the thread is removed; otherwise it throws as `follow` does. Events are read from the store
   * a page at a time; nothing is kept in memory, but for a moment where several follow.
   */
  async *followThread(
    thread_id: string,
    options: ThreadStart,
  ): AsyncGenerator<ThreadEvent, void, undefined> {
    const { store, ring = DEFAULT_RING } = this.#parts
    const pageChars = pageCharsOf(ring)
    const live = opened(this.#threads, thread_id, () => new LiveThread())
    try {
      const source = {
        store,
        live,
        pageChars,
        isAnnounced: () => this.#notices.isConnected,
        throwIfStopped: () => this.#throwIfStopped(),
      }
      yield* followThread(source, thread_id, options)
    } finally {
      closed(this.#threads, thread_id, live)
    }
  }

  /** Settles when the run is over; rejects as `follow` throws. */
  async waitForEnd(run_id: string, signal: AbortSignal): Promise<RunEnd> {
    for await (const event of this.follow(run_id, { after: NOTHING_BUT_THE_END, signal })) {
      if (isEnd(event)) return JSON.parse(event.data) as RunEnd
    }
    throw new AppError('internal', `The log of run ${run_id} ended without an end event.`)
  }

  #sourceOf(run_id: string, live: LiveRun) {
    const { store, clock, ring = DEFAULT_RING, isLocal } = this.#parts
    return {
      store,
      live,
      clock,
      pageChars: pageCharsOf(ring),
      isLocal: () => isLocal(run_id),
      isAnnounced: () => this.#notices.isConnected,
      throwIfStopped: () => this.#throwIfStopped(),
    }
  }

  #throwIfStopped(): void {
    if (this.#isStopped) throw new AppError('unavailable', 'The server is stopping; reconnect.')
  }

  async #expire(): Promise<void> {
    const { store, clock, retentionMs = DEFAULT_RETENTION_MS, log } = this.#parts
    try {
      const removed = await store.events.expire(clock.now() - retentionMs)
      if (removed > 0) log.debug({ removed }, 'removed expired events')
    } catch (error) {
      log.error({ err: error }, 'could not remove expired events; it is tried again')
    }
  }
}

/** What one reader holds is a part of what the run does. */
function pageCharsOf({ chars }: RingLimits): number {
  return Math.ceil(chars / 4)
}

/** What is followed under this id, with one follower more. */
function opened<T extends Announcer>(followed: Map<string, T>, id: string, make: () => T): T {
  const one = followed.get(id) ?? make()
  followed.set(id, one)
  one.followers += 1
  return one
}

function closed<T extends Announcer>(followed: Map<string, T>, id: string, one: T): void {
  one.followers -= 1
  if (one.followers === 0) followed.delete(id)
}
