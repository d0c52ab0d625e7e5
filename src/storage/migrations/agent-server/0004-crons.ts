/** Crons. */
import type { Migration } from '../migrate.ts'

const sql = `
-- caller: whom its runs are made for.
CREATE TABLE crons (
  cron_id TEXT PRIMARY KEY,
  assistant_id TEXT NOT NULL REFERENCES assistants (assistant_id) ON DELETE CASCADE,
  thread_id TEXT REFERENCES threads (thread_id) ON DELETE CASCADE,
  end_time TEXT,
  schedule TEXT NOT NULL,
  timezone TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  user_id TEXT,
  payload TEXT NOT NULL,
  next_run_date TEXT,
  metadata TEXT NOT NULL,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  on_run_completed TEXT CHECK (on_run_completed IN ('delete', 'keep')),
  caller TEXT NOT NULL,
  CHECK ((on_run_completed IS NULL) = (thread_id IS NOT NULL)),
  CHECK (enabled = 1 OR next_run_date IS NULL)
) STRICT;

CREATE INDEX crons_due ON crons (next_run_date) WHERE next_run_date IS NOT NULL;
CREATE INDEX crons_by_created_at ON crons (created_at, cron_id);
CREATE INDEX crons_of_assistant ON crons (assistant_id);
CREATE INDEX crons_of_thread ON crons (thread_id) WHERE thread_id IS NOT NULL;
`

export const crons: Migration = { version: 4, name: 'crons', sql }
