/**
 * Keeps a run's log and its checkpoints in one order, so that a run that is taken up after a crash
 * goes on in the log where it goes on in the graph:
 *
 * - a checkpoint, or a task's result, is stored when all that was emitted before it is in the log, or in one transaction
 *   with the last of it;
 * - what is emitted after a checkpoint is written to the log when the checkpoint is stored.
 *
 * So the log never tells of a step that is not kept, and never lacks a step that is.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { CheckpointPut } from '../../core/agent/checkpoint.ts'
import type { NewEvent } from '../../core/agent/event.ts'
import type { QueuedRun } from '../../core/agent/run.ts'
import type { EventWriter } from './event-writer.ts'

/** Whether the run's checkpoints wait: where events wait for them, these must come before the end of the graph. */
export function hasOrder({ kwargs }: QueuedRun): boolean {
  return kwargs.stream_protocol !== 'v2' || kwargs.durability !== 'exit'
}

/** Whether its events wait for checkpoints: legacy streams tell a step again that is done again. */
export function isHeldBack(run: QueuedRun): boolean {
  return run.kwargs.stream_protocol === 'v2' && hasOrder(run)
}

/** A checkpoint that the graph tells of, before what comes of it. */
export interface ToldCheckpoint {
  /** As LangGraph writes it: `child:<task>|inner:<task>`. */
  checkpoint_ns: string
  checkpoint_id: string
}

interface Held {
  events: NewEvent[]
  /** To be stored first. */
  checkpoint: ToldCheckpoint | undefined
  mayWait: boolean
  written: PromiseWithResolvers<void>
}

export class OrderedWrites {
  readonly #writer: EventWriter
  /** Namespaces whose checkpoints are stored here. */
  readonly #namespaces = new Set<string>()
  /** Checkpoints that are stored, or will be before what is written from now on. */
  readonly #stored = new Set<string>()
  readonly #held: Held[] = []
  /** The graph's stream has nothing more for now. */
  #isDrained = false
  #isOver = false

  constructor(writer: EventWriter) {
    this.#writer = writer
  }

  /** The stream, watched: all that the graph has emitted was taken when it has nothing more. */
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

  /** Writes these, in order. `false`: the lease was lost. Throws what an earlier write failed with. A promise: the graph has to wait. */
  write(events: NewEvent[]): boolean | Promise<boolean> {
    this.begin(events)
    return this.#writer.check()
  }

  /**
   * The same, without a word about how it goes: what is told with a checkpoint is held back until that is stored, and
   * what `mayWait` goes with what comes next.
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

  /** No checkpoint is waited for any more: writes what was held back, or (`isDropped`) does not. */
  end({ isDropped }: { isDropped: boolean }): void {
    this.#isOver = true
    if (isDropped) for (const { written } of this.#held.splice(0)) written.resolve()
    this.#advance()
  }

  /** The run goes on from this checkpoint of the namespace, or begins there. */
  loaded(checkpoint_ns: string, checkpoint_id: string | undefined): void {
    this.#namespaces.add(checkpoint_ns)
    if (checkpoint_id !== undefined) this.stored(checkpoint_id)
  }

  /** The checkpoint is stored, its place is taken (what comes now is written with it or later), or it could not be. */
  stored(checkpoint_id: string): void {
    this.#stored.add(checkpoint_id)
    this.#advance()
  }

  /**
   * Settles in a turn in which all that the graph has emitted was taken: told to stop in that turn, it leaves
   * nothing out. `false`: no such turn came within `limitMs`.
   */
  async taken(limitMs: number): Promise<boolean> {
    const until = performance.now() + limitMs
    do await turn()
    while (!this.#isDrained && performance.now() < until)
    return this.#isDrained
  }

  /**
   * Has a checkpoint stored, or what a task has written at it, behind all that the run has emitted until now:
   * in its transaction, or in a later one. Settles when its place is taken, with a promise that settles as
   * `EventWriter.carry` does.
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
    // The next checkpoint of the namespace is stored after this one: it must not be waited for. A
    // task's own checkpoint comes before what the task has emitted, and others may before that.
    const from = isOfTask ? ofNamespace.indexOf(checkpoint_id) + 1 : 0
    const end = ofNamespace.findIndex((told, at) => at >= from && told !== undefined)
    const before = end < 0 ? this.#held.at(-1) : this.#held[end - 1]
    if (before) {
      // It may wait for a checkpoint that is carried along with what is held here.
      release()
      await before.written.promise
    }
    const written = this.#writer.carry(put, how)
    release()
    return { written }
  }

  /** Writes at once what waits for more, and settles when all is written or refused. */
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
