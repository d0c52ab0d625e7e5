/** A cron: a run that is created again and again, at the times of a schedule. */

import type { JsonObject } from '../json.ts'
import type { Caller, MetadataFilter } from './authorization.ts'
import { RUN_STATUSES } from './run.ts'
import type { SortedPage } from './thread.ts'

export const ON_RUN_COMPLETED = ['delete', 'keep'] as const

/** `refused`: there was no run. `rolled_back`: it was removed. */
export const CRON_RUN_STATUSES = [...RUN_STATUSES, 'refused', 'rolled_back'] as const

/** The last run that a cron started. It may be gone by now, with its thread. */
export interface CronRun {
  /** `null`: the run was refused. */
  run_id: string | null
  thread_id: string | null
  /** When the cron fired. */
  created_at: string
  status: (typeof CRON_RUN_STATUSES)[number]
  /** Why it failed or was refused. */
  error: string | null
}

/** The fields of a cron on the wire. */
export interface Cron {
  cron_id: string
  assistant_id: string
  /** `null`: each firing gets a new thread. */
  thread_id: string | null
  /** The cron is not due at this moment or later. `null`: it has no end. */
  end_time: string | null
  /** Minute, hour, day of the month, month, day of the week; or `@daily` and the like. */
  schedule: string
  /** The time zone of the schedule (IANA). `null`: UTC. */
  timezone: string | null
  created_at: string
  updated_at: string
  /** The user who made it. */
  user_id: string | null
  /** The body with which its runs are created. */
  payload: JsonObject
  /** When it is due next. `null`: never again, or not while it is disabled. */
  next_run_date: string | null
  /** `null`: it has never been due. */
  last_run: CronRun | null
  /** The metadata of the cron and of its runs, which also have its `cron_id`. */
  metadata: JsonObject
  enabled: boolean
  /** What happens to a firing's thread when its run ends. `null`: the cron has a thread. */
  on_run_completed: (typeof ON_RUN_COMPLETED)[number] | null
}

/** A cron with the user who made it and for whom its runs are created. */
export interface StoredCron extends Cron {
  caller: Caller
}

/** Selects crons: those that meet all given conditions. */
export interface CronQuery {
  assistant_id?: string
  thread_id?: string
  enabled?: boolean
  /** JSON that the cron's metadata contains. */
  metadata?: JsonObject
  /** The caller sees no others. */
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

export type CronPage = SortedPage<(typeof CRON_SORT_FIELDS)[number]>

/** The crons of one database. They are removed with their assistant or their thread. */
export interface CronStore {
  insert(cron: StoredCron): Promise<void>
  get(cron_id: string): Promise<StoredCron | undefined>
  /** Replaces the cron with the same id. Its assistant, its thread and its maker stay. */
  update(cron: StoredCron): Promise<void>
  /** `false`: there was none. */
  delete(cron_id: string): Promise<boolean>
  /** Sorted by `sort_by`, crons without a value last; then by `created_at` and id. */
  search(query: CronQuery, page: CronPage): Promise<Cron[]>
  count(query: CronQuery): Promise<number>
  /** The crons that are due at `now` (ISO 8601), the longest overdue first. */
  listDue(now: string, limit: number): Promise<StoredCron[]>
  /**
   * Takes the due time that was read from the cron, and sets the next one. `false`: another server was
   * faster, or the cron was changed; nothing was written.
   */
  advance(
    read: Pick<StoredCron, 'cron_id' | 'next_run_date' | 'updated_at'>,
    next_run_date: string | null,
  ): Promise<boolean>
  /** Stores the run as the cron's last one. */
  noteRun(cron_id: string, run: CronRun): Promise<void>
  /** Stores how the cron's last run ended. Does nothing if `run` is not its last run. */
  noteEnd(cron_id: string, run: CronRun & { run_id: string }): Promise<void>
  /** When the next cron is due, in ms since 1970. In the past: one is due now. */
  nextDue(): Promise<number | undefined>
}
