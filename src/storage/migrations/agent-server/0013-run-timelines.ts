/** How runs spent their time: `core/agent/timeline/timeline.ts`. */
import type { Migration } from '../migrate.ts'

const sql = `
-- JSON: what the run ended with, where that is short; NULL: it stands in run_timelines, or was not kept.
ALTER TABLE runs ADD COLUMN timeline TEXT;

-- An entry is one part of a run's timeline; entry is JSON. They are added in the order of seq, and expire in it.
CREATE TABLE run_timelines (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  entry TEXT NOT NULL
) STRICT;
CREATE INDEX run_timelines_of_run ON run_timelines (run_id, seq);

-- Runs that have failed are searched for among many that have not.
CREATE INDEX runs_failed ON runs (status, seq) WHERE status IN ('error', 'interrupted', 'timeout');
`

export const runTimelines: Migration = { version: 13, name: 'run timelines', sql }
