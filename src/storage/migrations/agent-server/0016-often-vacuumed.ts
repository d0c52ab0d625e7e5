/** How often PostgreSQL tidies up the tables whose rows change all the time. SQLite needs nothing like it. */
import type { Migration } from '../migrate.ts'

/**
 * Every run changes rows of the first four, and deletes rows of the others an hour later. By default PostgreSQL vacuums
 * a table when a fifth of it is dead, and analyzes it for the planner when a tenth has changed: of a million runs a
 * fifth is 200,000 rows, which every index of pending runs leads through, and of 100,000 threads 20,000 former states.
 * No `fillfactor`: the columns that a run changes are indexed, so that room in the page does not keep it there, and
 * `event_counters` finds room already.
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
