/**
 * Hands a run over to another server, which continues from the last stored checkpoint. The log must end at that
 * checkpoint: otherwise steps in the log are repeated or missing. A graph stores its checkpoints in the background,
 * and on a busy disk or processor they are some steps behind.
 *
 * So the graph gets its stop signal in an event-loop turn in which all its emissions were taken, and the server
 * leaves the run when all checkpoints that the graph began to store are stored.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { stopReasonOf } from '../../queue/execution.ts'
import type { RunCheckpoints, TakenEmissions } from './run-checkpoints.ts'

/**
 * How long to wait for such a turn, in ms: a graph that never pauses has none. On a busy machine it takes seconds to
 * take all emissions.
 */
const TAKEN_LIMIT_MS = 5_000
/** How long to wait for the graph's checkpoints, in ms: longer than a statement waits for a lock. */
const STORED_LIMIT_MS = 10_000

interface HandOverParts {
  /** The run's signal. */
  signal: AbortSignal
  emissions: TakenEmissions
  checkpoints: RunCheckpoints
}

export class HandOver {
  readonly #parts: HandOverParts
  /** Whether all emissions of the graph were taken. */
  #isWhole = false

  constructor(parts: HandOverParts) {
    this.#parts = parts
  }

  /** The signal for the graph. It delays a shutdown as described above; other reasons abort at once. */
  signalOfGraph(): AbortSignal {
    const { signal } = this.#parts
    if (signal.aborted) return signal
    const graph = new AbortController()
    signal.addEventListener('abort', () => void this.#tell(graph), { once: true })
    return graph.signal
  }

  /** Waits until all emissions of the graph are taken. */
  async take(): Promise<void> {
    this.#isWhole = await this.#parts.emissions.wait(TAKEN_LIMIT_MS)
  }

  /** Waits for the graph's checkpoints. Returns at once if the run is not handed over, or emissions were not taken. */
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
