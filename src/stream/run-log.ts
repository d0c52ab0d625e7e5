/**
 * Writes the events and checkpoints of one attempt at a run, in the order of its graph: each batch in one transaction
 * under the lease, one batch after the other. Events are delivered when they are written.
 *
 * A failed write ends the log: what was added behind it is not written, so that the log has no gap.
 */
import type { AgentStore } from '../core/agent/agent-store.ts'
import type { CheckpointPut } from '../core/agent/checkpoint.ts'
import type { NewEvent, RunEvent } from '../core/agent/event.ts'
import type { Lease } from '../core/agent/run.ts'
import type { Clock } from '../core/clock.ts'
import { AppError } from '../core/errors.ts'
import { endOfTurn } from '../core/turn.ts'
import {
  isIn,
  type Namespace,
  type ReportedCheckpoint,
  type Unwritten,
  WriteBuffer,
  whenToFlush,
} from './write-buffer.ts'

/** The run that is written to, and the right to do so. */
export interface RunLogTarget {
  thread_id: string
  run_id: string
  lease?: Lease
}

/** `size` in characters and bytes. */
interface Batch extends Unwritten {
  size: number
}

interface RunLogParts {
  store: Pick<AgentStore, 'transaction'>
  clock: Clock
  /** Gets the events of each batch, in order, once they are in the store. */
  onWritten: (events: RunEvent[]) => void
  /** Calls `flush` within `SOON_MS`, of several runs together. */
  flushSoon: (log: RunLog) => void
  onStopped: (log: RunLog) => void
}

/** A graph waits while more than this is unwritten: events, and their size in characters with that of checkpoints. */
const MAX_UNWRITTEN = { events: 1_024, size: 8_388_608 }

const NO_BATCH: Batch = { events: [], puts: [], size: 0 }

/** Thrown so that the transaction is undone. */
const LOST = new AppError('conflict', 'The lease was lost.')

export class RunLog {
  readonly to: RunLogTarget
  readonly #parts: RunLogParts
  readonly #buffer = new WriteBuffer()
  /** Whether the graph's first event is still to be written. */
  #isFirst = true
  /** How many events in the buffer are the run's own (`begin`), and not of its graph. */
  #ownCount = 0
  /** The batch that is being written. */
  #batch = NO_BATCH
  /** Resolves when it is written or refused. */
  #writing: Promise<void> | undefined
  /** Why nothing more is written. Without an error: the lease was lost, or the run's end is written elsewhere. */
  #over: { error?: unknown } | undefined

  constructor(parts: RunLogParts, to: RunLogTarget) {
    this.#parts = parts
    this.to = to
  }

  /** Adds the run's first events. They wait for the first of the graph, `SOON_MS` at most. */
  begin(events: NewEvent[]): void {
    this.#buffer.add(events)
    this.#ownCount += events.length
    this.#look()
  }

  /** Adds events of the graph, which has to wait for `room`. `reported`: the checkpoint that they follow from. */
  append(events: NewEvent[], reported?: ReportedCheckpoint): void {
    this.#buffer.add(events, reported)
    this.#look()
  }

  /** Adds a checkpoint, or a task's writes at one. All events before it must have been appended. */
  put(put: CheckpointPut): void {
    this.#buffer.put(put)
    this.#look()
  }

  /** See `WriteBuffer.loaded`. */
  loaded(checkpoint_ns: string, checkpoint_id: string | undefined): void {
    this.#buffer.loaded(checkpoint_ns, checkpoint_id)
  }

  /** See `WriteBuffer.release`. Call it when the graph puts nothing more. */
  release(how: { isDropped: boolean }): void {
    this.#buffer.release(how)
    this.#look()
  }

  /** Whether a put is not written yet; `at`: of this namespace. */
  hasPut(at?: Namespace): boolean {
    if (this.#over) return false
    return this.#buffer.hasPut(at) || this.#batch.puts.some((put) => isIn(put, at))
  }

  /**
   * Resolves when the graph may go on: at once, or when less is unwritten. `false`: nothing more is written, because
   * the lease was lost. Throws the error of a failed write.
   */
  room(): boolean | Promise<boolean> {
    return this.#isFull ? this.#lessFull() : this.#check()
  }

  /** Writes all that can be written now, and resolves as `room` does. Do not await it within a transaction. */
  async flush(): Promise<boolean> {
    await this.#writing
    // Another caller's batch has all of it.
    if (!this.#buffer.isEmpty) await this.#begin()
    return this.#check()
  }

  /**
   * Returns what is not being written yet, once all before it is: the caller writes it with the run's end, and the log
   * writes nothing more. `undefined`: the lease was lost. Throws the error of a failed write.
   */
  async close(): Promise<Unwritten | undefined> {
    const unwritten = this.#buffer.take()
    await this.#writing
    const isHeld = this.#check()
    this.#over ??= {}
    return isHeld ? unwritten : undefined
  }

  /** Call it after use. What can still be written is written, and nothing that is added later. */
  stop(): void {
    const stopped = () => {
      this.#over ??= {}
      this.#parts.onStopped(this)
    }
    this.release({ isDropped: true })
    void this.flush().then(stopped, stopped)
  }

  #check(): boolean {
    if (this.#over && 'error' in this.#over) throw this.#over.error
    return !this.#over
  }

  get #isFull(): boolean {
    const { events, size } = this.#buffer.waiting
    const { events: written, size: writtenSize } = this.#batch
    return events + written.length > MAX_UNWRITTEN.events || size + writtenSize > MAX_UNWRITTEN.size
  }

  /** Returns below the limit, so that the graph goes on while the last batch is written. */
  async #lessFull(): Promise<boolean> {
    while (this.#isFull && !this.#over) await this.#begin()
    return this.#check()
  }

  /** Applies the rule. */
  #look(): void {
    if (this.#over) {
      this.#buffer.take()
      return
    }
    const { isEmpty, waiting } = this.#buffer
    const hasFirst = this.#isFirst && waiting.events > this.#ownCount
    const isWriting = this.#writing !== undefined
    const when = whenToFlush({ isEmpty, size: waiting.size, hasFirst, isWriting })
    if (when === 'now') void this.#begin()
    if (when === 'soon') this.#parts.flushSoon(this)
  }

  /** Writes at the end of the turn, with all that comes until then. Never rejects. */
  #begin(): Promise<void> {
    this.#writing ??= endOfTurn().then(() => this.#write())
    return this.#writing
  }

  async #write(): Promise<void> {
    const { size } = this.#buffer.waiting
    this.#batch = { ...this.#buffer.take(), size }
    if (this.#batch.events.length > this.#ownCount) this.#isFirst = false
    this.#ownCount = 0
    try {
      const logged = await this.#store(this.#batch)
      if (logged) this.#parts.onWritten(logged)
      else this.#over ??= {}
    } catch (error) {
      this.#over = { error }
    }
    this.#batch = NO_BATCH
    this.#writing = undefined
    this.#look()
  }

  /** `undefined`: the lease was lost. */
  async #store({ events, puts }: Unwritten): Promise<RunEvent[] | undefined> {
    if (events.length === 0 && puts.length === 0) return []
    const { store, clock } = this.#parts
    const to = { ...this.to, created_at: clock.now() }
    const work = async (tx: AgentStore) => {
      const logged = await tx.events.append(to, events)
      if (!logged) throw LOST
      await tx.checkpoints.putAll(puts, { held_run_id: to.run_id })
      return logged
    }
    // Without an event the commit cannot be checked: the puts are stored again, which changes nothing.
    const wasCommitted = async (tx: AgentStore, logged: RunEvent[]) =>
      logged.length > 0 && tx.events.areWritten(logged)
    try {
      return await store.transaction(work, [], wasCommitted)
    } catch (error) {
      if (error === LOST) return undefined
      throw error
    }
  }
}
