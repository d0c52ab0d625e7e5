/** Writes a run's events to the log while the graph goes on. */
import type { CheckpointPut } from '../../core/agent/checkpoint.ts'
import type { NewEvent } from '../../core/agent/event.ts'
import type { Unwritten } from '../../stream/batched-appends.ts'
import type { EventLog } from '../../stream/event-log.ts'
import type { Claimed } from './finish.ts'

/** How many events may be on their way to the database before the graph is made to wait. */
const MAX_UNWRITTEN = 1_024

export class EventWriter {
  readonly #log: EventLog
  readonly #to: { thread_id: string; run_id: string; lease: Claimed['lease'] }
  /** The writes that have not settled. The log writes in order, so they settle in this one. */
  readonly #writing: Promise<unknown>[] = []
  /** The batch of the log that took the last events, and how many of ours it has. */
  #batch: { written: Promise<boolean> | undefined; count: number } = {
    written: undefined,
    count: 0,
  }
  #unwritten = 0
  #isHeld = true
  #failure: { error: unknown } | undefined

  constructor(log: EventLog, claimed: Claimed) {
    this.#log = log
    const { run, lease } = claimed
    this.#to = { thread_id: run.thread_id, run_id: run.run_id, lease }
  }

  /**
   * Whether the graph may go on: at once, or when less is on its way to the database. `false`: the lease was
   * lost. Throws what a write failed with.
   */
  check(): boolean | Promise<boolean> {
    return this.#unwritten > MAX_UNWRITTEN ? this.#untilLess() : this.#check()
  }

  /** The graph goes on while the last of it is being written. */
  async #untilLess(): Promise<boolean> {
    this.#log.hurry(this.#to)
    while (this.#unwritten > MAX_UNWRITTEN && !this.#failure) await this.#writing[0]
    return this.#check()
  }

  /** Waits until all is written. Answers and throws like `check`. */
  async flush(): Promise<boolean> {
    this.#log.hurry(this.#to)
    await this.#writing.at(-1)
    return this.#check()
  }

  /** What is not being written yet waits until what is answered is called, after `carry`. */
  hold(): () => void {
    return this.#log.hold(this.#to)
  }

  /**
   * Stores what the graph has put behind what waits to be written, in its transaction; what `mayWait` waits for what
   * comes next, if that comes soon. Settles with whether it is stored: not where the lease was lost. Rejects like `check`.
   */
  carry(put: CheckpointPut, how: { mayWait: boolean }): Promise<boolean> {
    if (this.#failure) return Promise.reject(this.#failure.error)
    const written = this.#log.carry(this.#to, put, how)
    this.#note(written, 0)
    return written
  }

  /**
   * Waits until what is being written is, and answers what is not yet: the caller writes it, and nothing
   * more is written here. `undefined`: the lease was lost. Throws like `check`.
   */
  async close(): Promise<Unwritten | undefined> {
    const unwritten = await this.#log.takeBack(this.#to)
    return (await this.flush()) ? unwritten : undefined
  }

  /**
   * Begins to write, without a word about how it goes: that the next `check` or `flush` says. What
   * `mayWait` is written with what comes next, if that comes soon. After a failure nothing more is.
   */
  begin(events: NewEvent[], how = { mayWait: false }): void {
    if (events.length === 0 || this.#failure) return
    this.#note(this.#log.append(this.#to, events, how), events.length)
  }

  /** So many events are written, with what goes along, when `written` settles. */
  #note(written: Promise<boolean>, count: number): void {
    this.#unwritten += count
    // Most events of a batch are told one by one: one reaction is enough for all of them.
    if (written === this.#batch.written) {
      this.#batch.count += count
      return
    }
    const batch = { written, count }
    this.#batch = batch
    const settled = written.then(
      (isHeld) => {
        this.#writing.shift()
        this.#unwritten -= batch.count
        if (!isHeld) this.#isHeld = false
      },
      (error: unknown) => {
        this.#writing.shift()
        this.#failure = { error }
      },
    )
    this.#writing.push(settled)
  }

  #check(): boolean {
    if (this.#failure) throw this.#failure.error
    return this.#isHeld
  }
}
