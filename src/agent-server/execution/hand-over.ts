/**
 * The end of a run here that another server goes on with. It goes on from the last checkpoint that is stored, so
 * that has to be where the log ends: else steps that were told are told again, or are missing. A graph stores its
 * checkpoints while it goes on, and where a disk or a processor is busy they are some steps behind.
 *
 * So the graph is told to stop in a turn in which all that it has emitted was taken, and its run is left when all
 * that it has begun to store is stored.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { stopReasonOf } from '../../queue/stop-reason.ts'
import type { OrderedWrites } from './ordered-writes.ts'
import type { RunCheckpoints } from './run-checkpoints.ts'

/**
 * How long the graph may go on until such a turn comes, in ms: one that never stops emitting has none. On a busy machine
 * what was emitted takes seconds to be taken.
 */
const TAKEN_LIMIT_MS = 5_000
/** How long its checkpoints may take, in ms: longer than a statement waits for a lock. */
const STORED_LIMIT_MS = 10_000

interface HandOverParts {
  /** The run's. */
  signal: AbortSignal
  order: OrderedWrites
  checkpoints: RunCheckpoints
}

export class HandOver {
  readonly #parts: HandOverParts
  /** Nothing that the graph has emitted was left out. */
  #isWhole = false

  constructor(parts: HandOverParts) {
    this.#parts = parts
  }

  /** The run's signal as the graph hears it; whatever else stops a run is heard at once. */
  signalOfGraph(): AbortSignal {
    const { signal } = this.#parts
    if (signal.aborted) return signal
    const graph = new AbortController()
    signal.addEventListener('abort', () => void this.#tell(graph), { once: true })
    return graph.signal
  }

  /** Waits until all that the graph has emitted was taken. */
  async take(): Promise<void> {
    this.#isWhole = await this.#parts.order.taken(TAKEN_LIMIT_MS)
  }

  /** Settles at once where the run is not handed on, or where something was left out. */
  async stored(): Promise<void> {
    if (!this.#isWhole) return
    const late = delay(STORED_LIMIT_MS, undefined, { ref: false })
    await Promise.race([this.#parts.checkpoints.written(), late])
  }

  async #tell(graph: AbortController): Promise<void> {
    const { signal } = this.#parts
    if (stopReasonOf(signal)?.kind === 'shutdown') await this.take()
    graph.abort(signal.reason)
  }
}
