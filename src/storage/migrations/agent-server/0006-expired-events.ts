/** The number up to which a thread's events have expired. */
import type { Migration } from '../migrate.ts'

const sql = `
-- No event of the thread up to this number may be expected any more.
ALTER TABLE event_counters ADD COLUMN expired_seq INTEGER NOT NULL DEFAULT 0;
`

export const expiredEvents: Migration = { version: 6, name: 'expired events', sql }
