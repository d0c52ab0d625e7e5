/**
 * The event log: what every stream of a run, of a thread, legacy or thread-centred, reads.
 *
 * An event has two numbers. `seq` counts the thread's events (the thread-centred protocol's `seq`);
 * `run_seq` counts those that the legacy streams of its run show, from 0, and is their SSE id. An
 * event that only one of the two shows has `null` for the other's number or name.
 */
import type { Lease, RunStatus } from './run.ts'

/** An event before it has its numbers. */
export interface NewEvent {
  /** The legacy SSE name: `values`, `messages/partial`, `updates|child:<task>`, … */
  event: string
  /** The payload as JSON text: written once, sent as it is. */
  data: string
}

export interface LoggedEvent extends NewEvent {
  thread_id: string
  run_id: string
  /** 1, 2, 3, … within the thread. */
  seq: number
  /** 0, 1, 2, … within the run. */
  run_seq: number
  /** ms since 1970 */
  created_at: number
}

/** The name of a run's last event; its data is a `RunEnd`. Never sent to clients. */
export const END_EVENT = '__end__'

export interface RunEnd {
  /** `rolled_back`: the run was removed. */
  status: RunStatus | 'rolled_back'
}

export function isEnd(event: NewEvent): boolean {
  return event.event === END_EVENT
}

/** The event log of one database. */
export interface EventStore {
  /**
   * Appends in order and answers the events with their numbers. With a lease the events are
   * refused (`undefined`) when it was lost.
   */
  append(
    to: { thread_id: string; run_id: string; lease?: Lease; created_at: number },
    events: NewEvent[],
  ): Promise<LoggedEvent[] | undefined>
  /** The run's events with a `run_seq` greater than `after` (-1: all), in order. */
  read(run_id: string, after: number, limit: number): Promise<LoggedEvent[]>
  /** Removes the events of runs that ended before `before` (ms since 1970). Answers how many. */
  expire(before: number): Promise<number>
}
