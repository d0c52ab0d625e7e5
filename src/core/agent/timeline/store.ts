/** The storage of timelines. */
import type { Lease } from '../run.ts'
import type { TimelineEntry } from './timeline.ts'

/** The timelines of one database. They are removed with their runs. */
export interface TimelineStore {
  /** Adds to the timeline of a running run. `false`: the lease was lost, and nothing was added. */
  add(lease: Lease, entry: TimelineEntry, created_at: number): Promise<boolean>
  /** In the order added; the entry of the run's end comes last. */
  read(run_id: string): Promise<TimelineEntry[]>
  /**
   * Removes entries from before `before` (ms since 1970), 1,000 at most. A short entry of a run's end stays with its
   * run. Returns how many.
   */
  expire(before: number): Promise<number>
}
