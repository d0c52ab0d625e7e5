/** Writes a run's events to the log while the graph goes on. */
import type { NewEvent } from '../core/event.ts'
import type { EventLog } from '../stream/event-log.ts'
import type { Claimed } from './finish-run.ts'

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

  /** Begins to write, without a word about how it goes: that the next `write` or `flush` says. */
  begin(events: NewEvent[]): void {
    if (events.length === 0) return
    const { run, lease } = this.#claimed
    const { thread_id, run_id } = run
    this.#unwritten += events.length
    this.#last = this.#log.append({ thread_id, run_id, lease }, events).then(
      (isHeld) => {
        this.#unwritten -= events.length
        if (!isHeld) this.#isHeld = false
      },
      (error: unknown) => {
        this.#failure = { error }
      },
    )
  }

  #check(): boolean {
    if (this.#failure) throw this.#failure.error
    return this.#isHeld
  }
}
