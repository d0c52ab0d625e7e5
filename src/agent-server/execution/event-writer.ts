/** Writes a run's events to the log while the graph continues. */
import type { CheckpointPut } from '../../core/agent/checkpoint.ts'
import type { NewEvent } from '../../core/agent/event.ts'
import type { Unwritten } from '../../stream/batched-appends.ts'
import type { EventLog } from '../../stream/event-log.ts'
import type { Claimed } from './finish.ts'

/** Number of unwritten events above which the graph must wait. */
const MAX_UNWRITTEN = 1_024

export class EventWriter {
  readonly #log: EventLog
  readonly #to: { thread_id: string; run_id: string; lease: Claimed['lease'] }
  /** Unsettled writes. The log writes in order, so they settle in order. */
  readonly #writing: Promise<unknown>[] = []
  /** The log's batch that took the last events, and the number of this run's events in it. */
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
   * Resolves when the graph may go on: at once, or when fewer events are unwritten. `false`: the lease was
   * lost. Throws the error of a failed write.
   */
  check(): boolean | Promise<boolean> {
    return this.#unwritten > MAX_UNWRITTEN ? this.#untilLess() : this.#check()
  }

  /** Returns below the limit, so that the graph goes on while the last events are written. */
  async #untilLess(): Promise<boolean> {
    this.#log.hurry(this.#to)
    while (this.#unwritten > MAX_UNWRITTEN && !this.#failure) await this.#writing[0]
    return this.#check()
  }

  /** Waits until all events are written. Returns and throws like `check`. */
  async flush(): Promise<boolean> {
    this.#log.hurry(this.#to)
    await this.#writing.at(-1)
    return this.#check()
  }

  /** Holds back pending writes until the caller, after `carry`, calls the returned function. */
  hold(): () => void {
    return this.#log.hold(this.#to)
  }

  /**
   * Stores the graph's checkpoint data after the pending events, in their transaction. With `mayWait`, waits a moment
   * for later writes. Resolves to `true` when stored, `false` if the lease was lost. Rejects like `check`.
   */
  carry(put: CheckpointPut, how: { mayWait: boolean }): Promise<boolean> {
    if (this.#failure) return Promise.reject(this.#failure.error)
    const written = this.#log.carry(this.#to, put, how)
    this.#note(written, 0)
    return written
  }

  /**
   * Waits for writes in progress and returns the pending ones: the caller writes them, and nothing more is
   * written here. `undefined`: the lease was lost. Throws like `check`.
   */
  async close(): Promise<Unwritten | undefined> {
    const unwritten = await this.#log.takeBack(this.#to)
    return (await this.flush()) ? unwritten : undefined
  }

  /**
   * Starts a write; the next `check` or `flush` reports its result. With `mayWait`, the write waits a moment
   * for later ones. Writes nothing after a failure.
   */
  begin(events: NewEvent[], how = { mayWait: false }): void {
    if (events.length === 0 || this.#failure) return
    this.#note(this.#log.append(this.#to, events, how), events.length)
  }

  /** Counts events as unwritten until `written` settles. */
  #note(written: Promise<boolean>, count: number): void {
    this.#unwritten += count
    // Most events of a batch arrive one by one: one reaction is enough for all of them.
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
