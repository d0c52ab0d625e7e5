/**
 * The events and checkpoints of a run that are not being written yet, in the order of its graph, and the rule that says
 * when they are written.
 *
 * A graph reports a checkpoint before it puts it. Events behind such a report are held until the checkpoint was put,
 * and the checkpoint goes before them. So the log never has a step that is not stored.
 */
import type { CheckpointKey, CheckpointPut } from '../core/agent/checkpoint.ts'
import type { NewEvent } from '../core/agent/event.ts'

/** What one transaction writes. */
export interface Unwritten {
  events: NewEvent[]
  puts: CheckpointPut[]
}

/** A checkpoint that the graph reports before the events that follow from it. */
export interface ReportedCheckpoint {
  /** As LangGraph writes it: `child:<task>|inner:<task>`. */
  checkpoint_ns: string
  checkpoint_id: string
}

/** The namespace of a checkpoint. Each subgraph has its own. */
export type Namespace = Pick<CheckpointKey, 'thread_id' | 'checkpoint_ns'>

/** The size from which a buffer is written at once, in characters and bytes. */
const LARGE_BUFFER = 131_072

/** When a buffer is written: at once, together with other runs within `SOON_MS`, or not yet. */
type FlushTime = 'now' | 'soon' | 'later'

/** How long events and checkpoints wait at most, in ms. */
export const SOON_MS = 10

/** What the rule looks at. */
export interface BufferState {
  isEmpty: boolean
  /** The size of what can be written, in characters and bytes. */
  size: number
  /** The graph's first events are in the buffer. */
  hasFirst: boolean
  /** The batch before is still being written. The rule is applied again afterwards. */
  isWriting: boolean
}

/** The rule. The graph's own requests (`RunLog.flush`) and the run's end do not need it. */
export function whenToFlush({ isEmpty, size, hasFirst, isWriting }: BufferState): FlushTime {
  if (isEmpty || isWriting) return 'later'
  return hasFirst || size > LARGE_BUFFER ? 'now' : 'soon'
}

interface Held {
  added: NewEvent[] | CheckpointPut
  /** The checkpoint that must be put before. */
  behind?: ReportedCheckpoint | undefined
}

export class WriteBuffer {
  #ready: Unwritten = { events: [], puts: [] }
  #size = 0
  /** The first one waits for a checkpoint, and all others wait behind it. */
  #held: Held[] = []
  /** Namespaces whose checkpoints this run stores. */
  readonly #namespaces = new Set<string>()
  /** Checkpoints that are stored, or will be in the same transaction as later events or an earlier one. */
  readonly #placed = new Set<string>()

  get isEmpty(): boolean {
    return this.#ready.events.length === 0 && this.#ready.puts.length === 0
  }

  /** How much `take` would return, without events that are held. */
  get waiting(): { events: number; size: number } {
    return { events: this.#ready.events.length, size: this.#size }
  }

  /** Notes that the run continues from this checkpoint of the namespace. `undefined`: it begins there. */
  loaded(checkpoint_ns: string, checkpoint_id: string | undefined): void {
    this.#namespaces.add(checkpoint_ns)
    if (checkpoint_id !== undefined) this.#placed.add(checkpoint_id)
  }

  /** Adds events. `reported`: the checkpoint that they follow from, if the run stores it. */
  add(events: NewEvent[], reported?: ReportedCheckpoint): void {
    const isOurs = reported && this.#namespaces.has(reported.checkpoint_ns)
    this.#held.push({ added: events, behind: isOurs ? reported : undefined })
    this.#advance()
  }

  /** Adds a checkpoint, or a task's writes at one, behind the events before it. */
  put(put: CheckpointPut): void {
    this.#held.splice(this.#placeOf(put), 0, { added: put })
    if ('checkpoint' in put) this.#placed.add(put.checkpoint.checkpoint_id)
    this.#advance()
  }

  /** Whether a put is in the buffer; `at`: of this namespace. */
  hasPut(at?: Namespace): boolean {
    const held = this.#held.flatMap(({ added }) => (Array.isArray(added) ? [] : [added]))
    return [...this.#ready.puts, ...held].some((put) => isIn(put, at))
  }

  /** Takes what can be written. */
  take(): Unwritten {
    const ready = this.#ready
    this.#ready = { events: [], puts: [] }
    this.#size = 0
    return ready
  }

  /** Stops waiting for checkpoints: what is held can be written, or is dropped. */
  release({ isDropped }: { isDropped: boolean }): void {
    this.#held = isDropped ? [] : this.#held.map(({ added }) => ({ added }))
    this.#advance()
  }

  /**
   * A checkpoint goes before the events that follow from it, and from later ones of its namespace. A task's writes go
   * behind their checkpoint and before the next one. Both go behind checkpoints of other namespaces.
   */
  #placeOf(put: CheckpointPut): number {
    const { checkpoint_ns, checkpoint_id } = keyOf(put)
    const isOfTask = 'writes' in put
    const own = this.#held.findIndex(
      ({ behind }) =>
        behind?.checkpoint_ns === checkpoint_ns && behind.checkpoint_id === checkpoint_id,
    )
    const next = this.#held.findIndex(
      ({ behind }, at) => behind?.checkpoint_ns === checkpoint_ns && (!isOfTask || at > own),
    )
    return next < 0 ? this.#held.length : next
  }

  #advance(): void {
    for (;;) {
      const [first] = this.#held
      if (!first || (first.behind && !this.#placed.has(first.behind.checkpoint_id))) return
      this.#held.shift()
      this.#ripen(first.added)
    }
  }

  #ripen(added: Held['added']): void {
    if (!Array.isArray(added)) {
      this.#ready.puts.push(added)
      const values = 'values' in added ? added.values : added.writes
      for (const { bytes } of values) this.#size += bytes.length
      return
    }
    for (const event of added) {
      this.#ready.events.push(event)
      this.#size += event.data.length
    }
  }
}

/** Whether the put is of this namespace. */
export function isIn(put: CheckpointPut, at: Namespace | undefined): boolean {
  const { thread_id, checkpoint_ns } = keyOf(put)
  return !at || (thread_id === at.thread_id && checkpoint_ns === at.checkpoint_ns)
}

function keyOf(put: CheckpointPut): CheckpointKey {
  return 'writes' in put ? put.key : put.checkpoint
}
