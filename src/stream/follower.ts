/** Follows the events of a run or a thread: reads the past ones from the store, then waits for new ones. */
import type { AgentStore } from '../core/agent/agent-store.ts'
import {
  END_EVENT,
  isEnd,
  type LoggedEvent,
  type NewEvent,
  type RunEnd,
  type ThreadEvent,
} from '../core/agent/event.ts'
import { isTerminal } from '../core/agent/run.ts'
import type { Clock } from '../core/clock.ts'
import type { LiveRun, LiveThread } from './live.ts'

/** How often to look for events of a run that another process executes, in ms. */
const REMOTE_POLL_MS = 100
/** The same for events of a thread. A look that finds nothing costs about 11 µs (SQLite). */
const THREAD_POLL_MS = 200
/** The same when other processes announce their events: only a safety net. */
const ANNOUNCED_POLL_MS = 1_000
/** The same for a pending run, so that a long line of them costs little. */
const PENDING_POLL_MS = 1_000

const MAX_EVENTS = 256
/** The first page: nothing is known about the events yet. */
const FIRST_EVENTS = 8

/** Where followers read. */
export interface FollowSource {
  store: Pick<AgentStore, 'threads' | 'runs' | 'events'>
  clock: Clock
  /** How much is read at once, in characters. */
  pageChars: number
  /** Whether the run executes in this process now. */
  isLocal: (run_id: string) => boolean
  /** Whether events of other processes are announced too. */
  isAnnounced: () => boolean
  /** Throws when the log was stopped. */
  throwIfStopped: () => void
}

/** Greater than every `run_seq`: behind it comes only the end. */
export const NOTHING_BUT_THE_END = Number.MAX_SAFE_INTEGER

export class RunFollower {
  readonly #source: FollowSource
  readonly #live: LiveRun
  readonly #run_id: string
  readonly #signal: AbortSignal
  #size = FIRST_EVENTS
  #cursor: number
  #isOver = false
  #sawNoChange = false
  /** Something was read since the last wait. So if the run has ended, its end will be read too. */
  #hasRead = false

  constructor(
    source: FollowSource,
    live: LiveRun,
    run_id: string,
    { after, signal }: { after: number; signal: AbortSignal },
  ) {
    this.#source = source
    this.#live = live
    this.#run_id = run_id
    this.#signal = signal
    this.#cursor = after
  }

  /** See `EventLog.followPages`. */
  async *pages(): AsyncGenerator<readonly LoggedEvent[], void, undefined> {
    const live = this.#live
    for (;;) {
      const seen = live.version
      const page = await this.#nextPage()
      const last = page.at(-1)
      if (last) {
        this.#throwIfStopped()
        this.#cursor = last.run_seq
        this.#hasRead = true
        yield page
        if (isEnd(last)) return
        continue
      }
      if (live.version !== seen) continue
      const end = live.end ?? (this.#isOver ? await this.#lostEnd() : undefined)
      if (end) return yield [end]
      await this.#wait(seen)
    }
  }

  #throwIfStopped(): void {
    this.#signal.throwIfAborted()
    this.#source.throwIfStopped()
  }

  async #nextPage(): Promise<LoggedEvent[]> {
    this.#throwIfStopped()
    const live = this.#live
    const recent = live.since(this.#cursor, this.#size)
    const isCurrent = this.#isLocal && !this.#sawNoChange && !this.#isOver
    if (recent && (recent.length > 0 || isCurrent || live.end)) return recent
    // The store has no events after it either.
    if (this.#cursor === NOTHING_BUT_THE_END) return []
    const { events } = this.#source.store
    const page = await events.read(this.#run_id, this.#cursor, this.#size)
    if (page.length > 0) this.#size = sizeAfter(page, this.#source.pageChars)
    return page
  }

  async #wait(seen: number): Promise<void> {
    const live = this.#live
    const isToldOf = this.#isLocal || (this.#hasRead && this.#source.isAnnounced())
    const mustLookUp = !isToldOf || this.#sawNoChange
    const ms = mustLookUp ? await this.#lookUp() : ANNOUNCED_POLL_MS
    this.#hasRead = false
    if (!this.#isOver) await live.changed(seen, ms, this.#signal)
    this.#sawNoChange = live.version === seen
  }

  /**
   * Notes whether the run has ended or is gone: then no more events will come. Returns the time until the next look, in
   * ms.
   */
  async #lookUp(): Promise<number> {
    const run = await this.#source.store.runs.glance(this.#run_id)
    this.#isOver = !run || isTerminal(run.status)
    if (this.#isLocal || this.#source.isAnnounced()) return ANNOUNCED_POLL_MS
    return run?.status === 'pending' ? PENDING_POLL_MS : REMOTE_POLL_MS
  }

  get #isLocal(): boolean {
    return this.#source.isLocal(this.#run_id)
  }

  /** The end of a run whose end event comes before `after` or no longer exists. */
  async #lostEnd(): Promise<LoggedEvent> {
    const { store, clock } = this.#source
    const run = await store.runs.glance(this.#run_id)
    const status = run?.status ?? 'rolled_back'
    return (
      (await this.#storedEnd()) ?? {
        thread_id: run?.thread_id ?? '',
        run_id: this.#run_id,
        seq: 0,
        run_seq: this.#cursor,
        event: END_EVENT,
        data: JSON.stringify({ status } satisfies RunEnd),
        created_at: clock.now(),
      }
    )
  }

  async #storedEnd(): Promise<LoggedEvent | undefined> {
    let after = -1
    for (;;) {
      const page = await this.#source.store.events.read(this.#run_id, after, this.#size)
      const last = page.at(-1)
      if (!last || isEnd(last)) return last
      after = last.run_seq
    }
  }
}

export interface ThreadStart {
  /** The `seq` after which to begin. 0: at the first event; `undefined`: now. */
  after: number | undefined
  /** Waits for a thread that does not exist yet. */
  isAwaited?: boolean
  signal: AbortSignal
}

/** See `EventLog.followThreadPages`. */
export async function* threadPages(
  source: FollowSource,
  live: LiveThread,
  thread_id: string,
  { after, isAwaited = false, signal }: ThreadStart,
): AsyncGenerator<readonly ThreadEvent[], void, undefined> {
  const { store, pageChars, isAnnounced, throwIfStopped } = source
  let cursor = after === 0 ? 0 : await startOf(store, thread_id, after)
  let size = FIRST_EVENTS
  let unread: number | undefined
  let sawNoChange = false
  for (;;) {
    const seen = live.version
    const recent = live.since(cursor, size)
    const isCurrent = unread === live.unread && !sawNoChange
    const isStored = !recent || (recent.length === 0 && !isCurrent)
    unread = live.unread
    const page = isStored ? await store.events.readThread(thread_id, cursor, size) : recent
    sawNoChange = false
    signal.throwIfAborted()
    throwIfStopped()
    if (page.length > 0) {
      size = sizeAfter(page, pageChars)
      cursor = page.at(-1)?.seq ?? cursor
      yield page
      continue
    }
    if (isStored && !(isAwaited && cursor === 0) && (await isGone(store, thread_id, cursor))) return
    await live.changed(seen, isAnnounced() ? ANNOUNCED_POLL_MS : THREAD_POLL_MS, signal)
    sawNoChange = live.version === seen
  }
}

/** A `seq` that was not used yet counts as the last one. */
async function startOf(
  store: FollowSource['store'],
  thread_id: string,
  after: number | undefined,
): Promise<number> {
  const last = await store.events.lastSeq(thread_id)
  return Math.min(after ?? last, last)
}

/**
 * Whether the thread was removed. Its numbers go with it: if it had some, the thread itself need not be
 * read.
 */
async function isGone(
  store: FollowSource['store'],
  thread_id: string,
  cursor: number,
): Promise<boolean> {
  if (cursor > 0) return (await store.events.lastSeq(thread_id)) < cursor
  return (await store.threads.get(thread_id, { isDropped: true })) === undefined
}

/**
 * How many events to read at once after this page, so that a slow reader does not hold more than `maxChars` of data, or
 * a single larger event: the events of a stream are mostly alike.
 */
export function sizeAfter(page: readonly NewEvent[], maxChars: number): number {
  const chars = page.reduce((sum, { data }) => sum + data.length, 0)
  const fitting = Math.floor((maxChars * page.length) / Math.max(chars, 1))
  return Math.min(Math.max(fitting, 1), MAX_EVENTS)
}
