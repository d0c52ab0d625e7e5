/** Follows a run's events: reads the past ones from the store, then waits for new ones. */
import type { AgentStore } from '../core/agent/agent-store.ts'
import { END_EVENT, isEnd, type LoggedEvent, type RunEnd } from '../core/agent/event.ts'
import { isTerminal } from '../core/agent/run.ts'
import type { Clock } from '../core/clock.ts'
import type { LiveRun } from './live-run.ts'
import { PageSize } from './page-size.ts'

/** How often to look for events of a run that another process executes, in ms. */
const REMOTE_POLL_MS = 100
/** The same when other processes announce their events: only a safety net. */
const ANNOUNCED_POLL_MS = 1_000
/** The same for a pending run, so that a long line of them costs little. */
const PENDING_POLL_MS = 1_000

interface FollowSource {
  store: Pick<AgentStore, 'runs' | 'events'>
  live: LiveRun
  clock: Clock
  /** How much is read at once, in characters. Default 262,144. */
  pageChars?: number
  /** Whether the run executes in this process now. */
  isLocal: () => boolean
  /** Whether events of other processes are announced too. Default: no. */
  isAnnounced?: () => boolean
  /** Throws when the log was stopped. */
  throwIfStopped: () => void
}

/** Greater than every `run_seq`: behind it comes only the end. */
export const NOTHING_BUT_THE_END = Number.MAX_SAFE_INTEGER

export class Follower {
  readonly #source: FollowSource
  readonly #run_id: string
  readonly #signal: AbortSignal
  readonly #size: PageSize
  #cursor: number
  #isOver = false
  #sawNoChange = false
  /** Something was read since the last wait. So if the run has ended, its end will be read too. */
  #hasRead = false

  constructor(
    source: FollowSource,
    run_id: string,
    { after, signal }: { after: number; signal: AbortSignal },
  ) {
    this.#source = source
    this.#run_id = run_id
    this.#signal = signal
    this.#cursor = after
    this.#size = new PageSize(source.pageChars)
  }

  /** See `EventLog.followPages`. */
  async *pages(): AsyncGenerator<readonly LoggedEvent[], void, undefined> {
    const { live } = this.#source
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
    const { store, live, isLocal } = this.#source
    const recent = live.since(this.#cursor, this.#size.events)
    const isCurrent = isLocal() && !this.#sawNoChange && !this.#isOver
    if (recent && (recent.length > 0 || isCurrent || live.end)) return recent
    // The store has no events after it either.
    if (this.#cursor === NOTHING_BUT_THE_END) return []
    const page = await store.events.read(this.#run_id, this.#cursor, this.#size.events)
    this.#size.learn(page)
    return page
  }

  async #wait(seen: number): Promise<void> {
    const { live, isLocal } = this.#source
    const isToldOf = isLocal() || (this.#hasRead && this.#isAnnounced())
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
    const { store, isLocal } = this.#source
    const run = await store.runs.glance(this.#run_id)
    this.#isOver = !run || isTerminal(run.status)
    if (isLocal() || this.#isAnnounced()) return ANNOUNCED_POLL_MS
    return run?.status === 'pending' ? PENDING_POLL_MS : REMOTE_POLL_MS
  }

  #isAnnounced(): boolean {
    return this.#source.isAnnounced?.() ?? false
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
      const page = await this.#source.store.events.read(this.#run_id, after, this.#size.events)
      const last = page.at(-1)
      if (!last || isEnd(last)) return last
      after = last.run_seq
    }
  }
}
