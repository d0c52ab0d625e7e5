/** Where timelines are kept. */
import type { Lease } from '../run.ts'
import type { TimelineEntry } from './timeline.ts'

/** The timelines of one database. They are removed with their runs. */
export interface TimelineStore {
  /** Adds to the run's timeline while it goes on. `false`: the lease was lost, and nothing was added. */
  add(lease: Lease, entry: TimelineEntry, created_at: number): Promise<boolean>
  /** In the order in which they were added; the one that the run ended with comes last. */
  read(run_id: string): Promise<TimelineEntry[]>
  /**
   * Removes those from before `before` (ms since 1970), 1,000 at most; what runs ended with, where it is short, stays
   * with them. Answers how many.
   */
  expire(before: number): Promise<number>
}
