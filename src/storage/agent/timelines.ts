/**
 * The `run_timelines` table, and the column `timeline` of `runs`: a run's last entry is mostly short, and is stored in
 * its row, which is written then anyway. A row of its own took 15 % of the CPU time of a short run on SQLite.
 */

import type { TimelineStore } from '../../core/agent/agent-store.ts'
import type { TimelineEntry } from '../../core/agent/timeline/timeline.ts'
import { parseJson } from '../../core/exact-json.ts'
import type { Db } from '../db/db.ts'
import { holdsLease } from '../leases/leases.ts'

const INSERT = 'INSERT INTO run_timelines (run_id, created_at, entry) VALUES ($1, $2, $3)'

const READ = 'SELECT entry FROM run_timelines WHERE run_id = $1 ORDER BY seq'

const READ_OWN = 'SELECT timeline FROM runs WHERE run_id = $1 AND timeline IS NOT NULL'

// In the order of seq the oldest come first, so that it reads no more rows than it may remove.
const EXPIRE = `
DELETE FROM run_timelines
WHERE created_at < $1 AND seq IN (SELECT seq FROM run_timelines ORDER BY seq LIMIT 1000)`

export function createTimelineStore(db: Db): TimelineStore {
  return {
    async add(lease, entry, created_at) {
      const { run_id } = lease
      const text = JSON.stringify(entry)
      return db.transaction(async (tx) => {
        const isHeld = await holdsLease(tx, lease)
        if (isHeld) await addTimeline(tx, run_id, text, created_at)
        return isHeld
      }, [])
    },
    async read(run_id) {
      const [rows, own] = await db.snapshot((tx) =>
        Promise.all([
          tx.all<{ entry: string }>(READ, [run_id]),
          tx.all<{ timeline: string }>(READ_OWN, [run_id]),
        ]),
      )
      const texts = [...rows.map(({ entry }) => entry), ...own.map(({ timeline }) => timeline)]
      const entries = texts.map((text) => parseJson(text) as TimelineEntry | EndExcerpt)
      return entries.filter((entry) => 'attempt' in entry)
    },
    expire: (before) => db.run(EXPIRE, [before]),
  }
}

/** The longest entry that is stored whole in its run's own row, in characters. */
const SHORT = 4_096

/** What a run's own row keeps of a long entry. */
type EndExcerpt = Required<Pick<TimelineEntry, 'excerpt'>>

/**
 * The entry of a run's end, as JSON: `own` for the run's row, and `apart` for a row of its own, if it is long. Then only
 * its excerpt is in the run's row, which does not expire with the timeline.
 */
export function encodeEnd(entry: TimelineEntry | undefined): {
  own: string | null
  apart: string | null
} {
  if (!entry) return { own: null, apart: null }
  const { excerpt = {}, ...rest } = entry
  const kept = Object.keys(excerpt).length > 0 ? { excerpt } : undefined
  const whole = JSON.stringify({ ...rest, ...kept })
  if (whole.length <= SHORT) return { own: whole, apart: null }
  return { own: kept ? JSON.stringify(kept) : null, apart: JSON.stringify(rest) }
}

/** `entry`: JSON. Only within a transaction that has checked that the run exists. */
export async function addTimeline(
  tx: Db,
  run_id: string,
  entry: string,
  created_at: number,
): Promise<void> {
  await tx.run(INSERT, [run_id, created_at, entry])
}
