/** The checkpoints that a graph or a run writes to, by their numbers in the host. */
import type { GraphCheckpoints } from '../../core/agent/checkpoint.ts'
import type { RunCalls } from '../../core/agent/host/run.ts'
import type { TimelineSpan } from '../../core/agent/timeline/timeline.ts'
import { AppError } from '../../core/errors.ts'

export interface Binding {
  checkpoints: GraphCheckpoints
  /** Resolves when the reader has taken what the run emitted so far; absent: nothing is emitted. */
  taken?: () => Promise<void>
  /** See `RunCalls`; absent: not a run. */
  onSpans?: RunCalls['onSpans']
}

export class Bindings {
  readonly #all = new Map<number, Binding>()
  #last = 0

  add(binding: Binding): number {
    this.#last += 1
    this.#all.set(this.#last, binding)
    return this.#last
  }

  remove(of: number): void {
    this.#all.delete(of)
  }

  /** Reports spans of the run; nothing happens if the run is over. */
  tellSpans(of: number, spans: readonly TimelineSpan[]): void {
    this.#all.get(of)?.onSpans?.(spans)
  }

  /** Throws `conflict` if the run is over. */
  find(of: number): Binding {
    const found = this.#all.get(of)
    if (found) return found
    throw new AppError('conflict', 'The run is over: it writes nothing more.')
  }
}
