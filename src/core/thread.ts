/** A thread: a conversation's metadata, its latest values, and the line of its runs. */
import type { JsonObject, JsonValue } from './json.ts'

export const THREAD_STATUSES = ['idle', 'busy', 'interrupted', 'error'] as const
/**
 * `busy` while any run is pending or running; afterwards what the last run left: `interrupted` when
 * the graph waits (an interrupt, a breakpoint), `error` when it failed, else `idle`.
 */
export type ThreadStatus = (typeof THREAD_STATUSES)[number]

/** A question that a graph asks; a run resumes it by its id. */
export interface Interrupt {
  id?: string
  value: JsonValue
}

/** The fields of a thread on the wire. */
export interface Thread {
  thread_id: string
  created_at: string
  updated_at: string
  state_updated_at: string
  metadata: JsonObject
  config: JsonObject
  status: ThreadStatus
  /** The root graph's values at the last checkpoint; `null` before the first. */
  values: JsonObject | null
  /** Open interrupts by the task that asked. */
  interrupts: Record<string, Interrupt[]>
  error: string | null
}

export interface ThreadTask {
  id: string
  name: string
  error: string | null
  interrupts: Interrupt[]
  checkpoint: JsonObject | null
  state: ThreadState | null
  result: JsonValue
  path?: JsonValue
}

/** A thread's state at one checkpoint, as the API answers it. */
export interface ThreadState {
  values: JsonValue
  next: string[]
  tasks: ThreadTask[]
  checkpoint: JsonObject | null
  metadata: JsonObject | null
  created_at: string | null
  parent_checkpoint: JsonObject | null
  interrupts: Interrupt[]
}

/** What a fresh thread answers for its state: nothing has run yet. */
export const EMPTY_STATE: ThreadState = {
  values: {},
  next: [],
  tasks: [],
  checkpoint: null,
  metadata: null,
  created_at: null,
  parent_checkpoint: null,
  interrupts: [],
}

export type NewThread = Pick<Thread, 'thread_id' | 'created_at' | 'metadata' | 'config'>

/** A change of a thread: fields that are absent stay. */
export interface ThreadPatch {
  updated_at: string
  status?: ThreadStatus
  metadata?: JsonObject
  error?: string | null
  /** The latest state; sets `values`, `interrupts` and `state_updated_at` too. */
  state?: ThreadState
}

/** The threads of one database. */
export interface ThreadStore {
  /** Adds an idle thread. `false`: there is one with this id, nothing was written. */
  insert(thread: NewThread): Promise<boolean>
  /** A thread that was dropped (`drop`) is found only with `isDropped`. */
  get(thread_id: string, options?: { isDropped?: boolean }): Promise<Thread | undefined>
  /** The state last written by `update`, without asking the graph. */
  getState(thread_id: string): Promise<ThreadState | undefined>
  update(thread_id: string, patch: ThreadPatch): Promise<void>
  /**
   * Takes the thread out of sight, with its runs; a stream of one of its runs can still be read
   * until `purge` (the thread of a stateless run, facts section 6: two minutes).
   */
  drop(thread_id: string, purge_at: number): Promise<void>
  /** Removes what was dropped and is due, with runs, checkpoints and events. Answers how many. */
  purge(now: number): Promise<number>
}
