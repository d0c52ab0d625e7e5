/** The state of threads, as a graph reads and changes it. */
import type { JsonObject, JsonValue } from '../../json.ts'
import type { GraphCheckpoints } from '../checkpoint.ts'
import type { CheckpointRef, RunCommand } from '../run.ts'
import type { ThreadState } from '../thread.ts'

/** The part of an opened graph that knows states. */
export interface GraphStates {
  /**
   * The state at a checkpoint, or at the latest of the namespace; `EMPTY_STATE` before the first. With
   * `subgraphs` the states of its subgraphs too, in the tasks that they belong to. It is read from `checkpoints`, by
   * default those that the graph was opened with.
   */
  getState(place: StatePlace, options?: StateOptions): Promise<ThreadState>
  /** Newest first, read as they are taken. */
  listStates(place: StatePlace, query: StateQuery): AsyncIterable<ThreadState>
  /**
   * Takes the steps one after the other and answers where the checkpoint is that the last of them wrote.
   * Throws `AppError` where the server's own part has failed; any other error says why the graph does
   * not take the update.
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
  /** Every key equal. */
  metadata?: JsonObject
}

/** Updates that count as one step of the graph. */
export interface Superstep {
  updates: StateUpdate[]
}

/** What one node is taken to have answered. */
export interface StateUpdate {
  values?: JsonValue | undefined
  /** Instead of `values`. */
  command?: RunCommand | undefined
  as_node?: string | undefined
}
