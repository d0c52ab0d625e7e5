/** The event log of the runs. It writes events, and lets readers follow them while a run executes or later. */
import type { AgentStore } from '../core/agent/agent-store.ts'
import {
  isEnd,
  isLogged,
  type LoggedEvent,
  type RunEnd,
  type RunEvent,
  type ThreadEvent,
} from '../core/agent/event.ts'
import type { Clock } from '../core/clock.ts'
import { AppError } from '../core/errors.ts'
import { parseJson } from '../core/exact-json.ts'
import type { Log } from '../core/log.ts'
import { type Notice, type Notices, noNotices } from '../core/notices.ts'
import {
  type FollowSource,
  NOTHING_BUT_THE_END,
  RunFollower,
  type ThreadStart,
  threadPages,
} from './follower.ts'
import { LiveRun, LiveThread, type RingLimits } from './live.ts'
import { RunLog, type RunLogTarget } from './run-log.ts'
import { SOON_MS } from './write-buffer.ts'

export interface EventLogParts {
  store: Pick<AgentStore, 'threads' | 'runs' | 'events' | 'transaction'>
  /** Whether the run executes in this process now. */
  isLocal: (run_id: string) => boolean
  /** Sends notices about events to other servers, and gets theirs. Default: none; each server polls. */
  notices?: Notices
  /** How long the events of a run are kept after its end, in ms. Default: one hour. */
  retentionMs?: number
  /** How much of each followed run is kept in memory. Default: 1,024 events, 1 MiB of text. */
  ring?: RingLimits
  clock: Clock
  log: Log
}

const DEFAULT_RETENTION_MS = 3_600_000
const DEFAULT_RING: RingLimits = { events: 1_024, chars: 1_048_576 }
/** How often expired events are removed, in ms. */
const EXPIRE_MS = 60_000

export class EventLog {
  readonly #parts: EventLogParts
  /** The runs that write now. */
  readonly #runs = new Set<RunLog>()
  /** Those of them that flush together when the timer fires. */
  readonly #due = new Set<RunLog>()
  #timer: NodeJS.Timeout | undefined
  /** The runs that are followed now. */
  readonly #live = new Map<string, LiveRun>()
  /** The threads that are followed now. */
  readonly #threads = new Map<string, LiveThread>()
  #expiry: NodeJS.Timeout | undefined
  /** Absent: nothing is being removed. */
  #expiring: Promise<void> | undefined
  readonly #stopping = new AbortController()
  readonly #notices: Notices
  readonly #ring: RingLimits
  readonly #source: FollowSource
  #unsubscribe = () => {}
  #isStopped = false

  constructor(parts: EventLogParts) {
    this.#parts = parts
    this.#notices = parts.notices ?? noNotices
    this.#ring = parts.ring ?? DEFAULT_RING
    const { store, clock, isLocal } = parts
    this.#source = {
      ...{ store, clock, isLocal },
      // A part of what is kept of the run.
      pageChars: Math.ceil(this.#ring.chars / 4),
      isAnnounced: () => this.#notices.isConnected,
      throwIfStopped: () => this.#throwIfStopped(),
    }
  }

  /**
   * Begins to listen for events of other servers, and to remove expired events. Writing and following
   * work without it.
   */
  start(): void {
    this.#unsubscribe = this.#notices.subscribe((notice) => this.#onNotice(notice))
    this.#expiry = setInterval(() => {
      this.#expiring ??= this.#expire()
    }, EXPIRE_MS)
  }

  /** Whether connections end because the server stops, and not because clients left. */
  get isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  /** Writes what was appended. Then all followers get `unavailable`. */
  async stop(): Promise<void> {
    clearInterval(this.#expiry)
    this.#stopping.abort()
    await this.#expiring
    await this.settle({})
    this.#unsubscribe()
    this.#isStopped = true
    this.#announceAll()
  }

  /** Opens the log of a run that executes here. Call its `stop` after use. */
  openRun(to: RunLogTarget): RunLog {
    const { store, clock } = this.#parts
    const run = new RunLog(
      {
        ...{ store, clock },
        onWritten: (events) => this.deliver(events),
        flushSoon: (one) => this.#flushSoon(one),
        onStopped: (one) => void this.#runs.delete(one),
      },
      to,
    )
    this.#runs.add(run)
    return run
  }

  /** Runs that have something to write within `SOON_MS` write it together: on SQLite in one commit. */
  #flushSoon(run: RunLog): void {
    this.#due.add(run)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      const due = [...this.#due]
      this.#due.clear()
      void flushed(due)
    }, SOON_MS)
  }

  /**
   * Settles when everything that runs have added here so far is written or refused; with `thread_id`, only of that
   * thread. Do not await it within a transaction of the store.
   */
  settle({ thread_id }: { thread_id?: string }): Promise<void> {
    const isMeant = ({ to }: RunLog) => thread_id === undefined || to.thread_id === thread_id
    return flushed([...this.#runs].filter(isMeant))
  }

  /**
   * Gives followers the events that were written elsewhere: the last ones and the end, which the
   * transaction that ends the run writes. Call it after the commit, with the events in order.
   */
  deliver(events: RunEvent[]): void {
    for (const event of events) if (isLogged(event)) this.#live.get(event.run_id)?.add(event)
    const threads = Map.groupBy(events, ({ thread_id }) => thread_id)
    for (const [thread_id, added] of threads) this.#threads.get(thread_id)?.add(added)
    const runs = new Map(events.map(({ run_id, thread_id }) => [run_id, thread_id]))
    for (const [run_id, thread_id] of runs) this.#publish(thread_id, run_id)
  }

  /**
   * Wakes the followers of the thread. Call it after the commit that wrote an event without a run, or
   * removed the thread.
   */
  announceThread(thread_id: string): void {
    this.#threads.get(thread_id)?.announce()
    this.#publish(thread_id, null)
  }

  #publish(thread_id: string, run_id: string | null): void {
    this.#notices.publish({ kind: 'events', thread_id, run_id })
  }

  /** Wakes followers: they read from the store what another server has written. */
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
   * The run's events with a `run_seq` greater than `after` (-1: all), in order, each once. It ends only when the run
   * ends: the last event is always the `END_EVENT`, whatever `after` is. Otherwise it throws: the signal's reason, or
   * `unavailable` when the log stops. So after a normal end the run is over.
   *
   * When the end event has expired or the run was removed, an end is made from the run's status, with `seq` 0. A run
   * that does not exist counts as removed. A slow reader costs no memory: it reads events that have left the ring from
   * the store.
   */
  async *follow(
    run_id: string,
    options: { after: number; signal: AbortSignal },
  ): AsyncGenerator<LoggedEvent, void, undefined> {
    for await (const page of this.followPages(run_id, options)) {
      for (const event of page) {
        options.signal.throwIfAborted()
        this.#throwIfStopped()
        yield event
      }
    }
  }

  /** The same, in pages: events that are available together come together. No page is empty. */
  async *followPages(
    run_id: string,
    options: { after: number; signal: AbortSignal },
  ): AsyncGenerator<readonly LoggedEvent[], void, undefined> {
    const live = opened(this.#live, run_id, () => new LiveRun(this.#ring))
    try {
      yield* new RunFollower(this.#source, live, run_id, options).pages()
    } finally {
      closed(this.#live, run_id, live)
    }
  }

  /**
   * The thread's events with a `seq` greater than `after` (0: all; `undefined`: only later ones), in
   * order, each once: those of all runs, `END_EVENT`s included, and those without a run. They come in pages. It ends
   * when the thread is removed. Otherwise it throws as `follow` does, and a slow reader costs as little.
   */
  async *followThreadPages(
    thread_id: string,
    options: ThreadStart,
  ): AsyncGenerator<readonly ThreadEvent[], void, undefined> {
    const live = opened(this.#threads, thread_id, () => new LiveThread(this.#ring))
    try {
      yield* threadPages(this.#source, live, thread_id, options)
    } finally {
      closed(this.#threads, thread_id, live)
    }
  }

  /** Settles when the run is over. Rejects like `follow`. */
  async waitForEnd(run_id: string, signal: AbortSignal): Promise<RunEnd> {
    return parseJson(await this.waitForEndData(run_id, signal)) as RunEnd
  }

  /** The same, as stored in the log: `openRunEnd` reads it. */
  async waitForEndData(run_id: string, signal: AbortSignal): Promise<string> {
    for await (const event of this.follow(run_id, { after: NOTHING_BUT_THE_END, signal })) {
      if (isEnd(event)) return event.data
    }
    throw new AppError('internal', `The log of run ${run_id} ended without an end event.`)
  }

  #throwIfStopped(): void {
    if (this.#isStopped) throw new AppError('unavailable', 'The server is stopping; reconnect.')
  }

  async #expire(): Promise<void> {
    const { store, clock, retentionMs = DEFAULT_RETENTION_MS, log } = this.#parts
    try {
      const before = clock.now() - retentionMs
      const removed = await store.events.expire(before, this.#stopping.signal)
      if (removed > 0) log.debug({ removed }, 'removed expired events')
    } catch (error) {
      log.error({ err: error }, 'could not remove expired events; it is tried again')
    } finally {
      this.#expiring = undefined
    }
  }
}

type Followed = LiveRun | LiveThread

/** The entry with this id, with one follower more. */
function opened<T extends Followed>(followed: Map<string, T>, id: string, make: () => T): T {
  const one = followed.get(id) ?? make()
  followed.set(id, one)
  one.followers += 1
  return one
}

function closed<T extends Followed>(followed: Map<string, T>, id: string, one: T): void {
  one.followers -= 1
  if (one.followers === 0) followed.delete(id)
}

/** Settles when what these runs have added is written or refused. */
async function flushed(runs: readonly RunLog[]): Promise<void> {
  await Promise.allSettled(runs.map((run) => run.flush()))
}
