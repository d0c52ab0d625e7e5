/** A thread: a conversation's metadata, its latest values, and the line of its runs. */

import type { JsonObject, JsonValue } from '../json.ts'
import type { MetadataFilter } from './authorization.ts'

export const THREAD_STATUSES = ['idle', 'busy', 'interrupted', 'error'] as const
/**
 * `busy` while any run is pending or running; afterwards what the last run left: `interrupted` when
 * the graph waits (an interrupt, a breakpoint), `error` when it failed, else `idle`.
 */
type ThreadStatus = (typeof THREAD_STATUSES)[number]

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

export const TTL_STRATEGIES = ['delete', 'keep_latest'] as const
/** What happens when the time is up: the thread goes, or all of its history but the latest state. */
export type TtlStrategy = (typeof TTL_STRATEGIES)[number]

/** How long a thread is kept after its last change (`updated_at`). */
export interface ThreadTtl {
  strategy: TtlStrategy
  ttl_minutes: number
}

export type NewThread = Pick<Thread, 'thread_id' | 'created_at' | 'metadata' | 'config'> & {
  /** Absent: idle. */
  status?: ThreadStatus
  /** Absent: it is kept for good. */
  ttl?: ThreadTtl
}

/** A change of a thread: fields that are absent stay. */
export interface ThreadPatch {
  updated_at: string
  status?: ThreadStatus
  metadata?: JsonObject
  error?: string | null
  /** The latest state; sets `values`, `interrupts` and `state_updated_at` too. */
  state?: ThreadState
  ttl?: ThreadTtl
}

/** Which threads: those for which all that is given holds. */
export interface ThreadQuery {
  ids?: string[]
  /** Contained in the thread's metadata; so with `values`. */
  metadata?: JsonObject
  values?: JsonObject
  status?: ThreadStatus
  /** What the caller may see. */
  filter?: MetadataFilter
}

export const THREAD_SORT_FIELDS = [
  'thread_id',
  'status',
  'created_at',
  'updated_at',
  'state_updated_at',
] as const

export interface ThreadPage {
  sort_by: (typeof THREAD_SORT_FIELDS)[number]
  sort_order: 'asc' | 'desc'
  limit: number
  offset: number
  /** Whether values and interrupts are wanted: they are most of a thread. Default true. */
  hasState?: boolean
}

/** The threads of one database. */
export interface ThreadStore {
  /** Adds a thread. `false`: there is one with this id, nothing was written. */
  insert(thread: NewThread): Promise<boolean>
  /** A thread that was dropped (`drop`) is found only with `isDropped`. */
  get(thread_id: string, options?: { isDropped?: boolean }): Promise<Thread | undefined>
  /** The state last written by `update`, without asking the graph. */
  getState(thread_id: string): Promise<ThreadState | undefined>
  update(thread_id: string, patch: ThreadPatch): Promise<void>
  getTtl(thread_id: string): Promise<ThreadTtl | undefined>
  /**
   * Threads in the order asked for; the id decides between equals. Without `hasState` their `values`
   * are `null` and their `interrupts` empty.
   */
  search(query: ThreadQuery, page: ThreadPage): Promise<Thread[]>
  /**
   * The same, up to the one whose state would make those of the page more than `maxBytes` together, as
   * stored; one in any case. `isCut`: that one is there, and not on the page.
   */
  searchUpTo(
    query: ThreadQuery,
    page: ThreadPage,
    maxBytes: number,
  ): Promise<{ threads: Thread[]; isCut: boolean }>
  count(query: ThreadQuery): Promise<number>
  /**
   * Those whose time was up before `now` (ms since 1970) and that are not busy, oldest first. With
   * `shorterThanMinutes` only those that are kept for less.
   */
  listExpired(
    now: number,
    limit: number,
    options?: { shorterThanMinutes?: number },
  ): Promise<{ thread_id: string; strategy: TtlStrategy }[]>
  /** Notes that the history of an expired thread was pruned: nothing is due until its next change. */
  markPruned(thread_id: string): Promise<void>
  /** Removes it at once, with runs, checkpoints and events. `false`: there was none. */
  delete(thread_id: string): Promise<boolean>
  /**
   * Takes the thread out of sight, its state too; its runs, by their id, and their streams can
   * still be read until `purge` (the thread of a stateless run, facts section 6: two minutes).
   */
  drop(thread_id: string, purge_at: number): Promise<void>
  /** Removes what was dropped and is due, with runs, checkpoints and events. Answers how many. */
  purge(now: number): Promise<number>
}
