/**
 * Keeps a run's log and its checkpoints in one order, so that after a crash the run continues in the
 * log where it continues in the graph:
 *
 * - a checkpoint, or a task's result, is stored when all earlier events are in the log, or in one transaction with the
 *   last of them;
 * - events after a checkpoint are written to the log when the checkpoint is stored.
 *
 * So the log never has a step that is not stored, and never lacks a stored step.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { CheckpointPut } from '../../core/agent/checkpoint.ts'
import type { NewEvent } from '../../core/agent/event.ts'
import type { QueuedRun } from '../../core/agent/run.ts'
import type { EventWriter } from './event-writer.ts'

/** Whether the run keeps this order. Protocol runs with `exit` do not: their events would wait until the end. */
export function hasOrder({ kwargs }: QueuedRun): boolean {
  return kwargs.stream_protocol !== 'v2' || kwargs.durability !== 'exit'
}

/** Whether the run's events wait for checkpoints. Legacy streams do not: they show a repeated step again. */
export function isHeldBack(run: QueuedRun): boolean {
  return run.kwargs.stream_protocol === 'v2' && hasOrder(run)
}

/** A checkpoint that the graph reports before the events that follow from it. */
export interface ToldCheckpoint {
  /** As LangGraph writes it: `child:<task>|inner:<task>`. */
  checkpoint_ns: string
  checkpoint_id: string
}

interface Held {
  events: NewEvent[]
  /** The checkpoint that must be stored before the events are written. */
  checkpoint: ToldCheckpoint | undefined
  mayWait: boolean
  written: PromiseWithResolvers<void>
}

export class OrderedWrites {
  readonly #writer: EventWriter
  /** Namespaces whose checkpoints this run stores. */
  readonly #namespaces = new Set<string>()
  /** Checkpoints that are stored, or will be stored before any later write. */
  readonly #stored = new Set<string>()
  readonly #held: Held[] = []
  /** Whether all emissions of the graph until now were taken. */
  #isDrained = false
  #isOver = false

  constructor(writer: EventWriter) {
    this.#writer = writer
  }

  /** Passes the stream through, and notes when all its emissions until now were taken. */
  async *watch<T>(stream: AsyncIterable<T>): AsyncIterable<T> {
    const iterator = stream[Symbol.asyncIterator]()
    try {
      for (;;) {
        this.#isDrained = true
        const next = await iterator.next()
        this.#isDrained = false
        if (next.done) return
        yield next.value
      }
    } finally {
      this.#isDrained = true
      iterator.return?.().catch(() => {})
    }
  }

  /**
   * Writes the events in order. A promise: the graph has to wait for it. `false`: the lease was lost. Throws the error
   * of an earlier failed write.
   */
  write(events: NewEvent[]): boolean | Promise<boolean> {
    this.begin(events)
    return this.#writer.check()
  }

  /**
   * The same without a result. Events with a checkpoint are held back until it is stored. With `mayWait`, the events
   * may wait to be written with the next ones.
   */
  begin(
    events: NewEvent[],
    {
      checkpoint,
      mayWait = false,
    }: { checkpoint?: ToldCheckpoint | undefined; mayWait?: boolean } = {},
  ): void {
    const isKept = checkpoint !== undefined && this.#namespaces.has(checkpoint.checkpoint_ns)
    const held = isKept ? checkpoint : undefined
    this.#held.push({ events, checkpoint: held, mayWait, written: Promise.withResolvers() })
    this.#advance()
  }

  /** Stops waiting for checkpoints, and writes the held events or drops them (`isDropped`). */
  end({ isDropped }: { isDropped: boolean }): void {
    this.#isOver = true
    if (isDropped) for (const { written } of this.#held.splice(0)) written.resolve()
    this.#advance()
  }

  /** Notes that the run continues from this checkpoint of the namespace. `undefined`: it begins there. */
  loaded(checkpoint_ns: string, checkpoint_id: string | undefined): void {
    this.#namespaces.add(checkpoint_ns)
    if (checkpoint_id !== undefined) this.stored(checkpoint_id)
  }

  /** Notes that later events need not wait for this checkpoint: it is stored, has its place in the order, or failed. */
  stored(checkpoint_id: string): void {
    this.#stored.add(checkpoint_id)
    this.#advance()
  }

  /**
   * Resolves in an event-loop turn in which all emissions of the graph were taken: a stop signal in that turn
   * loses none. `false`: no such turn came within `limitMs`.
   */
  async taken(limitMs: number): Promise<boolean> {
    const until = performance.now() + limitMs
    do await turn()
    while (!this.#isDrained && performance.now() < until)
    return this.#isDrained
  }

  /**
   * Stores a checkpoint, or a task's writes at it, after all events that the run has emitted until now: in their
   * transaction, or in a later one. Resolves when its place in the order is fixed, with a promise that settles
   * like `EventWriter.carry`.
   */
  async place(
    put: CheckpointPut,
    how: { mayWait: boolean },
  ): Promise<{ written: Promise<boolean> }> {
    const isOfTask = 'writes' in put
    const { checkpoint_ns, checkpoint_id } = isOfTask ? put.key : put.checkpoint
    const release = this.#writer.hold()
    do await turn()
    while (!this.#isDrained && !this.#isOver)
    const ofNamespace = this.#held.map(({ checkpoint: told }) =>
      told?.checkpoint_ns === checkpoint_ns ? told.checkpoint_id : undefined,
    )
    // Events held for the namespace's next checkpoint must not be waited for: it is stored after this one. A
    // task's own checkpoint comes before the task's events, and other checkpoints may come before it.
    const from = isOfTask ? ofNamespace.indexOf(checkpoint_id) + 1 : 0
    const end = ofNamespace.findIndex((told, at) => at >= from && told !== undefined)
    const before = end < 0 ? this.#held.at(-1) : this.#held[end - 1]
    if (before) {
      // `before` may wait for a checkpoint among the writes that `hold` holds back.
      release()
      await before.written.promise
    }
    const written = this.#writer.carry(put, how)
    release()
    return { written }
  }

  /** Writes all pending data at once. Resolves when all is written or refused. */
  async flush(): Promise<void> {
    await this.#writer.flush()
  }

  #advance(): void {
    for (;;) {
      const [first] = this.#held
      if (!first) return
      const { checkpoint } = first
      const isStored = !checkpoint || this.#stored.has(checkpoint.checkpoint_id)
      if (!isStored && !this.#isOver) return
      this.#held.shift()
      this.#writer.begin(first.events, first)
      first.written.resolve()
    }
  }
}
