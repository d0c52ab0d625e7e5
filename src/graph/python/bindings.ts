/** The checkpoints that a graph or a run writes to, by the numbers that the host knows them by. */
import type { GraphCheckpoints } from '../../core/agent/checkpoint.ts'
import type { RunCalls } from '../../core/agent/host/run.ts'
import type { TimelineSpan } from '../../core/agent/timeline/timeline.ts'
import { AppError } from '../../core/errors.ts'

export interface Binding {
  checkpoints: GraphCheckpoints
  /** Settles when what the run has emitted until now is taken; absent: nothing is emitted. */
  taken?: () => Promise<void>
  /** See `RunCalls`; absent: it is no run. */
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

  /** What is at work in the run; nobody listens to one that is over. */
  tellSpans(of: number, spans: readonly TimelineSpan[]): void {
    this.#all.get(of)?.onSpans?.(spans)
  }

  /** Throws `conflict` for one that is over. */
  find(of: number): Binding {
    const found = this.#all.get(of)
    if (found) return found
    throw new AppError('conflict', 'The run is over: it writes nothing more.')
  }
}
