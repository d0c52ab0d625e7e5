/** Which runs a claim need not look at: those behind another one of their thread. */
import type { Migration } from '../migrate.ts'

const tables = `
-- 1: a run that was due no later, and is not over, stands in front of this one on its thread. The trigger
-- runs_line_moves takes it back when that one is over. No CHECK: it would read every row there is.
ALTER TABLE runs ADD COLUMN behind INTEGER NOT NULL DEFAULT 0;

-- Only the first of each line, so that a claim passes no other.
DROP INDEX runs_to_claim;
CREATE INDEX runs_to_claim ON runs (seq, thread_id, available_at, attempt, cancel_action)
  WHERE status = 'pending' AND behind = 0;
CREATE INDEX runs_behind ON runs (thread_id, available_at, seq)
  WHERE status = 'pending' AND behind = 1;
-- All that wait, in the order received.
CREATE INDEX runs_pending ON runs (seq) WHERE status = 'pending';
`

const WAS_IN_LINE = "OLD.status IN ('pending', 'running')"
const HAS_LEFT = `${WAS_IN_LINE} AND NEW.status NOT IN ('pending', 'running')`

/**
 * The next run moves up, with the runs before it that are due later. A delayed run does not stop the runs behind it.
 * Both conditions on the status, so that SQLite uses `runs_active`.
 */
const MOVE_UP = `
  UPDATE runs SET behind = 0
  WHERE thread_id = OLD.thread_id AND status = 'pending' AND status IN ('pending', 'running')
    AND behind = 1 AND seq <= (
      SELECT seq FROM runs
      WHERE thread_id = OLD.thread_id AND status = 'pending' AND behind = 1
      ORDER BY available_at, seq LIMIT 1
    );`

const sqlite = `
CREATE TRIGGER runs_line_moves AFTER UPDATE OF status ON runs
WHEN ${HAS_LEFT}
BEGIN${MOVE_UP}
END;
CREATE TRIGGER runs_line_moves_on_delete AFTER DELETE ON runs
WHEN ${WAS_IN_LINE}
BEGIN${MOVE_UP}
END;
`

const postgres = `
CREATE FUNCTION runs_line_moves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN${MOVE_UP}
  RETURN NULL;
END $$;
CREATE TRIGGER runs_line_moves AFTER UPDATE OF status ON runs FOR EACH ROW
WHEN (${HAS_LEFT})
EXECUTE FUNCTION runs_line_moves();
CREATE TRIGGER runs_line_moves_on_delete AFTER DELETE ON runs FOR EACH ROW
WHEN (${WAS_IN_LINE})
EXECUTE FUNCTION runs_line_moves();
`

export const linesOfRuns: Migration = {
  version: 14,
  name: 'lines of runs',
  sql: { sqlite: tables + sqlite, postgres: tables + postgres },
}
