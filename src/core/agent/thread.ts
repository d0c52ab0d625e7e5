/** A thread: the metadata of a conversation, its latest values, and the line of its runs. */

import type { JsonObject, JsonValue } from '../json.ts'
import type { MetadataFilter } from './authorization.ts'

export const THREAD_STATUSES = ['idle', 'busy', 'interrupted', 'error'] as const
/**
 * `busy` while any run is pending or running. Afterwards the last run decides: `interrupted` when the
 * graph waits (an interrupt, a breakpoint), `error` when it failed, otherwise `idle`.
 */
type ThreadStatus = (typeof THREAD_STATUSES)[number]

/** A question that a graph asks. A run answers it by its id. */
export interface Interrupt {
  id?: string
  value: JsonValue
  /** JSON Schema of the answer, if the graph gives one (`interrupt(value, {responseSchema})`). */
  response_schema?: JsonObject
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
  /** The open interrupts, by the task that asked. */
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

/** A thread's state at one checkpoint, as the API returns it. */
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

/** The state of a new thread, on which nothing has run. */
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
/**
 * What happens when the time is up: `delete` removes the thread, `keep_latest` all of its history except
 * the latest state.
 */
export type TtlStrategy = (typeof TTL_STRATEGIES)[number]

/** How long a thread is kept after its last change (`updated_at`). */
export interface ThreadTtl {
  strategy: TtlStrategy
  ttl_minutes: number
}

export type NewThread = Pick<Thread, 'thread_id' | 'created_at' | 'metadata' | 'config'> & {
  /** Absent: idle. */
  status?: ThreadStatus
  /** Absent: the thread is kept forever. */
  ttl?: ThreadTtl
}

/** A change of a thread. Absent fields stay as they are. */
export interface ThreadPatch {
  updated_at: string
  status?: ThreadStatus
  metadata?: JsonObject
  error?: string | null
  /** The latest state. It also sets `values`, `interrupts` and `state_updated_at`. */
  state?: ThreadState
  ttl?: ThreadTtl
}

/** Selects threads: those that meet all given conditions. */
export interface ThreadQuery {
  ids?: string[]
  /** JSON that the thread's metadata contains. `values` works the same way. */
  metadata?: JsonObject
  values?: JsonObject
  /** Not threads whose metadata contain any of these. */
  exclude_metadata?: JsonObject[]
  status?: ThreadStatus
  /** Changed at this moment or later, as ISO 8601 in UTC. */
  updated_after?: string
  /** Changed before this moment. */
  updated_before?: string
  /** The caller sees no others. */
  filter?: MetadataFilter
}

export const THREAD_SORT_FIELDS = [
  'thread_id',
  'status',
  'created_at',
  'updated_at',
  'state_updated_at',
] as const

/** A page of a search, and its order. */
export interface SortedPage<Field extends string> {
  sort_by: Field
  sort_order: 'asc' | 'desc'
  limit: number
  offset: number
}

export interface ThreadPage extends SortedPage<(typeof THREAD_SORT_FIELDS)[number]> {
  /** Whether to read values and interrupts, which are most of a thread. Default true. */
  hasState?: boolean
}

/** The threads of one database. */
export interface ThreadStore {
  /** Adds a thread. `false`: the id is taken, and nothing was written. */
  insert(thread: NewThread): Promise<boolean>
  /**
   * Adds a thread whose id no other client can have taken; in a transaction on PostgreSQL it is only sent. If the id is
   * taken, this or the commit throws.
   */
  add(thread: NewThread): Promise<void>
  /** Finds a dropped thread (`drop`) only with `isDropped`. */
  get(thread_id: string, options?: { isDropped?: boolean }): Promise<Thread | undefined>
  /** The state from the last `update`. Does not call the graph. */
  getState(thread_id: string): Promise<ThreadState | undefined>
  /**
   * `before`: the thread as read in this transaction under the thread's lock; otherwise it is read for new metadata.
   */
  update(
    thread_id: string,
    patch: ThreadPatch,
    before?: Pick<Thread, 'metadata' | 'created_at'>,
  ): Promise<void>
  getTtl(thread_id: string): Promise<ThreadTtl | undefined>
  /**
   * Threads in the given order, then by id. Without `hasState` their `values` are `null` and their
   * `interrupts` empty.
   */
  search(query: ThreadQuery, page: ThreadPage): Promise<Thread[]>
  /**
   * The same, but the page ends before its threads' metadata, config and state would exceed `maxBytes`, as stored. It
   * has at least one thread. `isCut`: the page ended that way. `onBytes` gets the page's size before it is read;
   * throwing there ends the search.
   */
  searchUpTo(
    query: ThreadQuery,
    page: ThreadPage,
    size: { maxBytes: number; onBytes?(bytes: number): void },
  ): Promise<{ threads: Thread[]; isCut: boolean }>
  /**
   * The ids of those that mention the text, whatever its case, in their values or their open questions. It looks at the
   * first 1,000 threads of the query in this order, and at no more than 16 MiB of their states. `lookedAt` is given if
   * there are more. `onBytes` gets the size of each part before it is read; throwing there ends the search.
   */
  findText(
    query: ThreadQuery,
    text: string,
    order: Pick<ThreadPage, 'sort_by' | 'sort_order'>,
    onBytes?: (bytes: number) => void,
  ): Promise<{ ids: string[]; lookedAt?: number }>
  /** Counts no further than to `atMost`. Default: all. */
  count(query: ThreadQuery, atMost?: number): Promise<number>
  /**
   * Threads that expired before `now` (ms since 1970) and are not busy, the oldest first. With
   * `shorterThanMinutes`, only those with a shorter lifetime.
   */
  listExpired(
    now: number,
    limit: number,
    options?: { shorterThanMinutes?: number },
  ): Promise<{ thread_id: string; strategy: TtlStrategy }[]>
  /** Notes that the history of an expired thread was pruned. It expires again only after its next change. */
  markPruned(thread_id: string): Promise<void>
  /** Removes it at once, with its runs, checkpoints and events. `false`: there was none. */
  delete(thread_id: string): Promise<boolean>
  /**
   * Hides the thread and its state. Its runs can still be read by their ids, and their streams followed,
   * until `purge`. This is for the thread of a stateless run, which ends two minutes later.
   */
  drop(thread_id: string, purge_at: number): Promise<void>
  /** Removes dropped threads whose time is up, with their runs, checkpoints and events. Returns how many. */
  purge(now: number): Promise<number>
}
