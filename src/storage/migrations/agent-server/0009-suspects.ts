/** Runs that may be what crashes their servers: see `MAX_RUN_ATTEMPTS`. */
import type { Migration } from '../migrate.ts'

const sql = `
-- Whether the run has executed alone for long enough since it was claimed last.
ALTER TABLE runs ADD COLUMN survived INTEGER NOT NULL DEFAULT 0 CHECK (survived IN (0, 1));
CREATE INDEX runs_suspects ON runs (attempt, seq) WHERE status = 'pending' AND attempt >= 2;
-- With what a claim now asks for as well, so that it reads no row that it does not take.
DROP INDEX runs_to_claim;
CREATE INDEX runs_to_claim ON runs (seq, thread_id, available_at, attempt, cancel_action)
  WHERE status = 'pending';
`

export const suspects: Migration = { version: 9, name: 'suspects', sql }
