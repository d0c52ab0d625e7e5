/**
 * The event log. Every stream of a run or a thread, legacy or thread-centred, reads from it.
 *
 * An event has two numbers. `seq` counts the thread's events (the thread-centred protocol's `seq`).
 * `run_seq` counts those that the legacy streams of its run show, from 0, and is their SSE id. An event
 * that only one of the two shows has `null` for the other's number or name.
 */

import { parseJson } from '../exact-json.ts'
import type { JsonObject } from '../json.ts'
import type { Lease, RunError, RunStatus } from './run.ts'

/** An event without its numbers. */
export interface NewEvent {
  /** The legacy SSE name: `values`, `messages/partial`, `updates|child:<task>`, … */
  event: string
  /** The payload as JSON text: serialized once, and sent as it is. */
  data: string
  /** No legacy stream of the run shows the event, so it gets no `run_seq`. This flag is not stored. */
  isOfThreadOnly?: boolean
}

/**
 * An event of a thread. It belongs to one of the thread's runs, or to none (`run_id` and `run_seq` are
 * null).
 */
export interface ThreadEvent extends NewEvent {
  thread_id: string
  run_id: string | null
  /** 1, 2, 3, … within the thread. */
  seq: number
  /** 0, 1, 2, … within the run. */
  run_seq: number | null
  /** ms since 1970 */
  created_at: number
}

/** An event that a run wrote. */
export interface RunEvent extends ThreadEvent {
  run_id: string
}

/** An event that the legacy streams of its run show. */
export interface LoggedEvent extends RunEvent {
  run_seq: number
}

export function isLogged(event: RunEvent): event is LoggedEvent {
  return event.run_seq !== null
}

/** The name of a run's last event; its data is a `RunEnd`. Never sent to clients. */
export const END_EVENT = '__end__'

export interface RunEnd {
  /** The graph that ran. Absent: an older version wrote the event. */
  graph_id?: string
  /** `rolled_back`: the run was removed. */
  status: RunStatus | 'rolled_back'
  /** The thread's values at the end of the run, which `join` and `wait` return. Absent: unknown. */
  values?: JsonObject | null
  /** The next nodes, when the graph stopped at an interrupt or a breakpoint. Absent: none. */
  next?: string[]
  /** Why the run failed. */
  error?: RunError | null
}

export function isEnd(event: NewEvent): boolean {
  return event.event === END_EVENT
}

/**
 * How the log stores the pieces of a message after its first: each event holds what one piece added, as JSON of
 * `[message id, growth]`. Clients get `messages/partial` with the whole message so far. In a subgraph `|<namespace>`
 * follows, as everywhere.
 */
export const PIECE_EVENT = 'messages/piece'

/** The new state after an update through the API, for the thread's stream only. */
export const STATE_UPDATE_EVENT = 'state_update'

/** The event log of one database. */
export interface EventStore {
  /**
   * Appends the events in order and returns them with their numbers. With a lost lease it writes nothing and returns
   * `undefined`.
   */
  append(
    to: { thread_id: string; run_id: string; lease?: Lease; created_at: number },
    events: NewEvent[],
  ): Promise<RunEvent[] | undefined>
  /**
   * In a transaction: whether the events that an `append` returned are stored, when it is unknown whether its
   * transaction was committed. Waits until that one has ended.
   */
  areWritten(events: readonly RunEvent[]): Promise<boolean>
  /** Appends events that belong to no run (`STATE_UPDATE_EVENT`), in order. */
  appendToThread(to: { thread_id: string; created_at: number }, events: NewEvent[]): Promise<void>
  /** The run's events with a `run_seq` greater than `after` (-1: all), in order. */
  read(run_id: string, after: number, limit: number): Promise<LoggedEvent[]>
  /** The `run_seq` of the run's last event before this moment (ms since 1970); -1: none. */
  lastBefore(run_id: string, created_at: number): Promise<number>
  /** Only events of the stream mode `messages` (`messages/…`) with a `run_seq` below `before`. */
  readMessages(
    run_id: string,
    between: { after: number; before: number },
    limit: number,
  ): Promise<LoggedEvent[]>
  /** The events of the thread with a `seq` greater than `after` (0: all), in order. */
  readThread(thread_id: string, after: number, limit: number): Promise<ThreadEvent[]>
  /** The run's events with a `seq` greater than `after`, in order. */
  readRun(
    run: { thread_id: string; run_id: string },
    after: number,
    limit: number,
  ): Promise<RunEvent[]>
  /** Only the positions and names of the thread's events, in order. */
  readNames(
    thread_id: string,
    after: number,
    limit: number,
  ): Promise<Pick<ThreadEvent, 'seq' | 'event'>[]>
  /** The run's events about its lifecycle for the protocol (`protocol/lifecycle…`), in order. */
  readLifecycle(run_id: string): Promise<RunEvent[]>
  /** The last `seq` of the thread; 0 before the first event. */
  lastSeq(thread_id: string): Promise<number>
  /** The highest `seq` of the thread whose event has expired; 0: none has. */
  expiredSeq(thread_id: string): Promise<number>
  /** Removes the events of one run. */
  deleteRun(run_id: string): Promise<void>
  /**
   * Removes the events of runs that ended before `before` (ms since 1970), and events without a run from before then,
   * in batches; after `signal` aborts at most one of each kind. Returns how many.
   */
  expire(before: number, signal?: AbortSignal): Promise<number>
}

const VALUES = ',"values":'
const ERROR = ',"error":'

/**
 * The end of a run as its event stores it, in JSON. The values come last, so that code that only forwards them can cut
 * them out: they may be large.
 */
export function encodeRunEnd({ graph_id, status, next, error = null, values }: RunEnd): string {
  return JSON.stringify({ graph_id, status, next, error, values })
}

/** The end in such an event, and the JSON of its values, if any. */
export function openRunEnd(data: string): { end: Omit<RunEnd, 'values'>; values?: string } {
  // A quote within a text has a backslash before it, so this is the first field of this name.
  const at = data.indexOf(VALUES)
  const head = data.slice(0, Math.max(at, 0))
  if (head.includes(ERROR)) {
    return withValues(parseJson(`${head}}`), data.slice(at + VALUES.length, -1))
  }
  // Earlier versions wrote the error after the values.
  const { values = null, ...end } = parseJson(data) as RunEnd
  return withValues(end, JSON.stringify(values))
}

function withValues(end: Omit<RunEnd, 'values'>, values: string): ReturnType<typeof openRunEnd> {
  return values === 'null' ? { end } : { end, values }
}
