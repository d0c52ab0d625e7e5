/** Writes a run's events to the log while the graph goes on. */
import type { NewEvent } from '../../core/agent/event.ts'
import type { EventLog } from '../../stream/event-log.ts'
import type { Claimed } from './finish.ts'

/** How many events may be on their way to the database before the graph is made to wait. */
const MAX_UNWRITTEN = 256

export class EventWriter {
  readonly #log: EventLog
  readonly #claimed: Claimed
  /** The write that was begun last; the log writes in order, so it settles last. */
  #last: Promise<unknown> = Promise.resolve()
  #unwritten = 0
  #isHeld = true
  #failure: { error: unknown } | undefined

  constructor(log: EventLog, claimed: Claimed) {
    this.#log = log
    this.#claimed = claimed
  }

  /** Begins to write. `false`: the lease was lost. Throws what an earlier write failed with. */
  async write(events: NewEvent[]): Promise<boolean> {
    this.begin(events)
    if (this.#unwritten > MAX_UNWRITTEN) await this.#last
    return this.#check()
  }

  /** Waits until all is written. Answers and throws like `write`. */
  async flush(): Promise<boolean> {
    await this.#last
    return this.#check()
  }

  /**
   * Waits until what is being written is, and answers what is not yet: the caller writes it, and nothing
   * more is written here. `undefined`: the lease was lost. Throws like `write`.
   */
  async close(): Promise<NewEvent[] | undefined> {
    const unwritten = await this.#log.takeBack(this.#to)
    return (await this.flush()) ? unwritten : undefined
  }

  /**
   * Begins to write, without a word about how it goes: that the next `write` or `flush` says. What
   * `mayWait` is written with what comes next, if that comes soon. After a failure nothing more is.
   */
  begin(events: NewEvent[], how = { mayWait: false }): void {
    if (events.length === 0 || this.#failure) return
    this.#unwritten += events.length
    this.#last = this.#log.append(this.#to, events, how).then(
      (isHeld) => {
        this.#unwritten -= events.length
        if (!isHeld) this.#isHeld = false
      },
      (error: unknown) => {
        this.#failure = { error }
      },
    )
  }

  get #to() {
    const { run, lease } = this.#claimed
    const { thread_id, run_id } = run
    return { thread_id, run_id, lease }
  }

  #check(): boolean {
    if (this.#failure) throw this.#failure.error
    return this.#isHeld
  }
}
