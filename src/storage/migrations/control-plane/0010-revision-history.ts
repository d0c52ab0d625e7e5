/** Who made a revision and why, and when each of its statuses began. */
import type { Migration } from '../migrate.ts'

const sql = `
ALTER TABLE revisions ADD COLUMN made_by TEXT;
ALTER TABLE revisions ADD COLUMN made_for TEXT
  CHECK (made_for IN ('create', 'change', 'push', 'redeploy', 'rollback', 'agent_key', 'take_back'));
ALTER TABLE revisions ADD COLUMN repeats INTEGER;
-- A line for each: the status, and when it began.
ALTER TABLE revisions ADD COLUMN steps TEXT NOT NULL DEFAULT '';
`

export const revisionHistory: Migration = { version: 10, name: 'revision-history', sql }
