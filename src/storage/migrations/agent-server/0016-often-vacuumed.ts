/** How often PostgreSQL tidies up the tables whose rows change all the time. SQLite needs nothing like it. */
import type { Migration } from '../migrate.ts'

/**
 * Every run changes rows of the first four, and deletes rows of the others an hour later. By default a fifth of a table
 * has to be dead before it is vacuumed, and a tenth to have changed before it is looked at for the planner: of a
 * million runs that is 200,000 rows, which every index of pending runs leads through, and of 100,000 threads 20,000
 * former states. No `fillfactor`: the columns that a run changes are indexed, so that no room in the page lets it stay
 * there, and `event_counters` finds room already.
 */
const CHANGING = ['runs', 'threads', 'thread_labels', 'event_counters', 'events', 'event_parts']

const OFTEN = `autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 500,
  toast.autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_threshold = 500`

const postgres = CHANGING.map((table) => `ALTER TABLE ${table} SET (${OFTEN});`).join('\n')

export const oftenVacuumed: Migration = {
  version: 16,
  name: 'often vacuumed',
  sql: { sqlite: '-- Nothing.', postgres },
}
