/** How a graph reads and changes the state of threads. */
import type { JsonObject, JsonValue } from '../../json.ts'
import type { GraphCheckpoints } from '../checkpoint.ts'
import type { CheckpointRef, RunCommand } from '../run.ts'
import type { ThreadState } from '../thread.ts'

/** The part of an opened graph for states. */
export interface GraphStates {
  /**
   * The state at a checkpoint, or at the latest of the namespace; `EMPTY_STATE` before the first. With `subgraphs` the
   * tasks hold the states of their subgraphs. Reads `checkpoints`; default: those that the graph was opened with.
   */
  getState(place: StatePlace, options?: StateOptions): Promise<ThreadState>
  /** Newest first, read as they are taken. */
  listStates(place: StatePlace, query: StateQuery): AsyncIterable<ThreadState>
  /**
   * Applies the steps in order and returns the place of the last checkpoint. Throws `AppError` when the server's own
   * part failed; any other error is the graph's reason to refuse the update.
   */
  updateState(place: StatePlace, supersteps: Superstep[]): Promise<StatePlace>
}

export interface StateOptions {
  subgraphs: boolean
  checkpoints?: GraphCheckpoints
}

/** A place in a thread's history: without `checkpoint_id` the latest of the namespace (default: root). */
export interface StatePlace extends CheckpointRef {
  thread_id: string
}

export interface StateQuery {
  limit: number
  /** Only checkpoints older than the one with this id. */
  before?: string
  /** Every key must be equal. */
  metadata?: JsonObject
}

/** Updates that count as one step of the graph. */
export interface Superstep {
  updates: StateUpdate[]
}

/** An update as if this node had returned it. */
export interface StateUpdate {
  values?: JsonValue | undefined
  /** Instead of `values`. */
  command?: RunCommand | undefined
  as_node?: string | undefined
}
