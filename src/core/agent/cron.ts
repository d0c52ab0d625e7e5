/** A cron: a run that is asked for again and again, at the times of a schedule. */

import type { JsonObject } from '../json.ts'
import type { Caller, MetadataFilter } from './authorization.ts'

export const ON_RUN_COMPLETED = ['delete', 'keep'] as const

/** The fields of a cron on the wire. */
export interface Cron {
  cron_id: string
  assistant_id: string
  /** `null`: each firing has a thread of its own. */
  thread_id: string | null
  /** It is not due at this moment or later; `null`: it has no end. */
  end_time: string | null
  /** Minute, hour, day of the month, month, day of the week; or `@daily` and the like. */
  schedule: string
  /** The time zone that the schedule is meant in (IANA); `null`: UTC. */
  timezone: string | null
  created_at: string
  updated_at: string
  /** Who made it. */
  user_id: string | null
  /** What its runs are created with, as the body of a run's creation has it. */
  payload: JsonObject
  /** When it is due next; `null`: never again, or while it is not enabled. */
  next_run_date: string | null
  /** Of the cron, and of its runs, which have its `cron_id` besides. */
  metadata: JsonObject
  enabled: boolean
  /** What becomes of a firing's own thread; `null` where the cron has a thread. */
  on_run_completed: (typeof ON_RUN_COMPLETED)[number] | null
}

/** A cron with whom its runs are made for: who made it. */
export interface StoredCron extends Cron {
  caller: Caller
}

/** Which crons: those for which all that is given holds. */
export interface CronQuery {
  assistant_id?: string
  thread_id?: string
  enabled?: boolean
  /** Contained in the cron's metadata. */
  metadata?: JsonObject
  /** What the caller may see. */
  filter?: MetadataFilter
}

export const CRON_SORT_FIELDS = [
  'cron_id',
  'assistant_id',
  'thread_id',
  'next_run_date',
  'end_time',
  'created_at',
  'updated_at',
] as const

export interface CronPage {
  sort_by: (typeof CRON_SORT_FIELDS)[number]
  sort_order: 'asc' | 'desc'
  limit: number
  offset: number
}

/** The crons of one database. They go with their assistant and with their thread. */
export interface CronStore {
  insert(cron: StoredCron): Promise<void>
  get(cron_id: string): Promise<StoredCron | undefined>
  /** Puts the cron in the place of the one with its id, but for what it is of and who made it. */
  update(cron: StoredCron): Promise<void>
  /** `false`: there was none. */
  delete(cron_id: string): Promise<boolean>
  /** In order of `sort_by`, what has none last; where that is the same, of `created_at` and id. */
  search(query: CronQuery, page: CronPage): Promise<Cron[]>
  count(query: CronQuery): Promise<number>
  /** Those that are due at `now` (ISO 8601), the one that waits longest first. */
  listDue(now: string, limit: number): Promise<StoredCron[]>
  /**
   * Takes the due time of the cron as it was read, and sets the next one. `false`: another server was
   * first, or the cron was changed; nothing was written.
   */
  advance(
    read: Pick<StoredCron, 'cron_id' | 'next_run_date' | 'updated_at'>,
    next_run_date: string | null,
  ): Promise<boolean>
  /** When the next one is due, in ms since 1970: in the past where one is. */
  nextDue(): Promise<number | undefined>
}
