/**
 * The event log: what every stream of a run, of a thread, legacy or thread-centred, reads.
 *
 * An event has two numbers. `seq` counts the thread's events (the thread-centred protocol's `seq`);
 * `run_seq` counts those that the legacy streams of its run show, from 0, and is their SSE id. An
 * event that only one of the two shows has `null` for the other's number or name.
 */
import type { JsonObject } from '../json.ts'
import type { Lease, RunError, RunStatus } from './run.ts'

/** An event before it has its numbers. */
export interface NewEvent {
  /** The legacy SSE name: `values`, `messages/partial`, `updates|child:<task>`, … */
  event: string
  /** The payload as JSON text: written once, sent as it is. */
  data: string
  /** No legacy stream of the run shows it: it gets no `run_seq`. Not kept. */
  isOfThreadOnly?: boolean
}

/** An event of a thread: of one of its runs, or (`run_id` and `run_seq` null) of none. */
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
  /** The graph that ran. Absent: it was written before this was noted. */
  graph_id?: string
  /** `rolled_back`: the run was removed. */
  status: RunStatus | 'rolled_back'
  /** The thread's values as the run left them: what `join` and `wait` answer. Absent: unknown. */
  values?: JsonObject | null
  /** The nodes that were still to be done: it stopped to ask, or at a breakpoint. Absent: none. */
  next?: string[]
  /** Why the run failed. */
  error?: RunError | null
}

export function isEnd(event: NewEvent): boolean {
  return event.event === END_EVENT
}

/**
 * How a message that is being written stands in the log, but for its first piece: what this piece
 * added, as JSON of `[message id, growth]`. Clients are shown `messages/partial` with the whole
 * message so far. In a subgraph `|<namespace>` follows, as everywhere.
 */
export const PIECE_EVENT = 'messages/piece'

/** What a thread's state became through the API, for the thread's stream only. */
export const STATE_UPDATE_EVENT = 'state_update'

/** The event log of one database. */
export interface EventStore {
  /**
   * Appends in order and answers the events with their numbers. With a lease the events are
   * refused (`undefined`) when it was lost.
   */
  append(
    to: { thread_id: string; run_id: string; lease?: Lease; created_at: number },
    events: NewEvent[],
  ): Promise<RunEvent[] | undefined>
  /**
   * Part of a transaction: whether these, as `append` answered them in one of which nobody knows whether
   * it was committed, are there. Waits for that one to end.
   */
  areWritten(events: readonly RunEvent[]): Promise<boolean>
  /** Appends events that are of no run (`STATE_UPDATE_EVENT`), in order. */
  appendToThread(to: { thread_id: string; created_at: number }, events: NewEvent[]): Promise<void>
  /** The run's events with a `run_seq` greater than `after` (-1: all), in order. */
  read(run_id: string, after: number, limit: number): Promise<LoggedEvent[]>
  /** Of these only the ones of stream mode `messages` (`messages/…`), and only those before `before`. */
  readMessages(
    run_id: string,
    between: { after: number; before: number },
    limit: number,
  ): Promise<LoggedEvent[]>
  /** The events of the thread with a `seq` greater than `after` (0: all), in order. */
  readThread(thread_id: string, after: number, limit: number): Promise<ThreadEvent[]>
  /** All that the run has written, with a `seq` greater than `after`, in order. */
  readRun(
    run: { thread_id: string; run_id: string },
    after: number,
    limit: number,
  ): Promise<RunEvent[]>
  /** Of a thread's events only where they stand and their names, in order. */
  readNames(
    thread_id: string,
    after: number,
    limit: number,
  ): Promise<Pick<ThreadEvent, 'seq' | 'event'>[]>
  /** What the run has told of its lifecycle for the protocol (`protocol/lifecycle…`), in order. */
  readLifecycle(run_id: string): Promise<RunEvent[]>
  /** The last `seq` that was given in the thread; 0 before the first. */
  lastSeq(thread_id: string): Promise<number>
  /** The highest `seq` of the thread's runs that has expired; 0: none has. */
  expiredSeq(thread_id: string): Promise<number>
  /** Removes the events of one run. */
  deleteRun(run_id: string): Promise<void>
  /**
   * Removes the events of runs that ended before `before` (ms since 1970), and those of no run from
   * before it. Answers how many.
   */
  expire(before: number): Promise<number>
}
