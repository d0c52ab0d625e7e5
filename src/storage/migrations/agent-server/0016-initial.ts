/**
 * The agent server's schema as it was at version 16. A test compares its lists of words with those of `core/`.
 * `../migrate.ts` says why the first version is not 1.
 */
import type { Migration } from '../migrate.ts'
import { refusingTrigger } from '../refusing-trigger.ts'

const tables = `
-- folded_name is the name in lower case: SQLite's lower() only knows ASCII.
CREATE TABLE assistants (
  assistant_id TEXT PRIMARY KEY,
  graph_id TEXT NOT NULL,
  config TEXT NOT NULL,
  context TEXT,
  metadata TEXT NOT NULL,
  name TEXT NOT NULL,
  folded_name TEXT NOT NULL,
  description TEXT,
  version INTEGER NOT NULL CHECK (version >= 1),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

-- One for each order of a search.
CREATE INDEX assistants_by_created_at ON assistants (created_at, assistant_id);
CREATE INDEX assistants_by_updated_at ON assistants (updated_at, created_at, assistant_id);
CREATE INDEX assistants_by_name ON assistants (name, created_at, assistant_id);
CREATE INDEX assistants_by_graph ON assistants (graph_id, created_at, assistant_id);

-- The plain values at the top of an assistant's metadata, as JSON: a search by one of them reads the
-- assistants that have it, and no others.
CREATE TABLE assistant_labels (
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  assistant_id TEXT NOT NULL REFERENCES assistants (assistant_id) ON DELETE CASCADE,
  PRIMARY KEY (key, value, assistant_id)
) STRICT;

CREATE INDEX assistant_labels_of_assistant ON assistant_labels (assistant_id);

CREATE TABLE assistant_versions (
  assistant_id TEXT NOT NULL REFERENCES assistants (assistant_id) ON DELETE CASCADE,
  version INTEGER NOT NULL CHECK (version >= 1),
  graph_id TEXT NOT NULL,
  config TEXT NOT NULL,
  context TEXT,
  metadata TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (assistant_id, version)
) STRICT;

CREATE TABLE servers (
  server_id TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started_at TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  -- JSON; empty: the server has not said.
  graphs TEXT NOT NULL DEFAULT '[]'
) STRICT;

CREATE TABLE threads (
  thread_id TEXT PRIMARY KEY,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  state_updated_at TEXT NOT NULL,
  metadata TEXT NOT NULL,
  config TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('idle', 'busy', 'interrupted', 'error')),
  error TEXT,
  ttl_strategy TEXT CHECK (ttl_strategy IN ('delete', 'keep_latest')),
  ttl_minutes REAL CHECK ((ttl_minutes IS NULL) = (ttl_strategy IS NULL)),
  ttl_due_at INTEGER,
  purge_at INTEGER,
  state TEXT
) STRICT;

CREATE INDEX threads_to_purge ON threads (purge_at) WHERE purge_at IS NOT NULL;
CREATE INDEX threads_expiring ON threads (ttl_due_at) WHERE ttl_due_at IS NOT NULL;
CREATE INDEX threads_by_created_at ON threads (created_at, thread_id) WHERE purge_at IS NULL;
CREATE INDEX threads_by_updated_at ON threads (updated_at, thread_id) WHERE purge_at IS NULL;
CREATE INDEX threads_by_state_updated_at ON threads (state_updated_at, thread_id)
  WHERE purge_at IS NULL;
CREATE INDEX threads_by_status ON threads (status, created_at, thread_id) WHERE purge_at IS NULL;

-- The plain values at the top of the metadata of threads that can be seen, as JSON: a search by them
-- reads the threads that have them, newest first, and no others. created_at is the thread's.
CREATE TABLE thread_labels (
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  created_at TEXT NOT NULL,
  thread_id TEXT NOT NULL REFERENCES threads (thread_id) ON DELETE CASCADE,
  PRIMARY KEY (key, value, created_at, thread_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX thread_labels_of_thread ON thread_labels (thread_id);

-- seq is the order received; AUTOINCREMENT, so that the number of a removed run is not given again.
CREATE TABLE runs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL UNIQUE,
  thread_id TEXT NOT NULL REFERENCES threads (thread_id) ON DELETE CASCADE,
  assistant_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  status TEXT NOT NULL
    CHECK (status IN ('pending', 'running', 'success', 'error', 'interrupted', 'timeout')),
  metadata TEXT NOT NULL,
  kwargs TEXT NOT NULL,
  multitask_strategy TEXT NOT NULL
    CHECK (multitask_strategy IN ('reject', 'enqueue', 'interrupt', 'rollback')),
  available_at INTEGER NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0 CHECK (attempt >= 0),
  cancel_action TEXT CHECK (cancel_action IN ('interrupt', 'rollback')),
  cancel_reason TEXT,
  stop_outcome TEXT CHECK (stop_outcome IN ('stopped', 'cut_off')),
  error TEXT,
  lease_token INTEGER NOT NULL DEFAULT 0,
  lease_server_id TEXT,
  lease_expires_at INTEGER,
  -- When the run was first claimed, in ms since 1970, and which request made it.
  started_at INTEGER,
  origin TEXT,
  -- Whether the run has executed alone for long enough since it was claimed last: see MAX_RUN_ATTEMPTS.
  survived INTEGER NOT NULL DEFAULT 0 CHECK (survived IN (0, 1)),
  -- JSON: what the run ended with, where that is short; NULL: it stands in run_timelines, or was not kept.
  timeline TEXT,
  -- 1: a run that was due no later, and is not over, stands in front of this one on its thread. The trigger
  -- runs_line_moves takes it back when that one is over.
  behind INTEGER NOT NULL DEFAULT 0,
  CHECK ((status = 'running') = (lease_server_id IS NOT NULL)),
  CHECK ((status = 'running') = (lease_expires_at IS NOT NULL))
) STRICT;

CREATE UNIQUE INDEX runs_one_running_per_thread ON runs (thread_id) WHERE status = 'running';
CREATE INDEX runs_due ON runs (available_at) WHERE status = 'pending';
CREATE INDEX runs_active ON runs (thread_id, status, seq) WHERE status IN ('pending', 'running');
CREATE INDEX runs_of_thread ON runs (thread_id, seq);
-- Runs that may be what crashes their servers.
CREATE INDEX runs_suspects ON runs (attempt, seq) WHERE status = 'pending' AND attempt >= 2;
-- Runs that have failed are searched for among many that have not.
CREATE INDEX runs_failed ON runs (status, seq) WHERE status IN ('error', 'interrupted', 'timeout');
-- All that a claim looks at, so that it reads no row that it does not take. Only the first of each line, so that it
-- passes no other.
CREATE INDEX runs_to_claim ON runs (seq, thread_id, available_at, attempt, cancel_action)
  WHERE status = 'pending' AND behind = 0;
CREATE INDEX runs_behind ON runs (thread_id, available_at, seq)
  WHERE status = 'pending' AND behind = 1;
-- All that wait, in the order received.
CREATE INDEX runs_pending ON runs (seq) WHERE status = 'pending';

-- input is JSON. Where a run has no row here, its input is in its kwargs.
CREATE TABLE run_inputs (
  run_id TEXT PRIMARY KEY REFERENCES runs (run_id) ON DELETE CASCADE,
  input TEXT NOT NULL
) STRICT;

-- An entry is one part of a run's timeline; entry is JSON. They are added in the order of seq, and expire in it.
CREATE TABLE run_timelines (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  entry TEXT NOT NULL
) STRICT;

CREATE INDEX run_timelines_of_run ON run_timelines (run_id, seq);

-- No reference to runs: the key of a removed run is still known, and creates no other.
CREATE TABLE idempotency_keys (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  run_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT;

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- The last number given in each thread: it goes on counting when events expire.
CREATE TABLE event_counters (
  thread_id TEXT PRIMARY KEY,
  last_seq INTEGER NOT NULL,
  -- No event of the thread up to this number may be expected any more.
  expired_seq INTEGER NOT NULL DEFAULT 0
) STRICT;

-- No reference to runs and threads: the log of a removed run is still read for a while. run_id and
-- run_seq are both NULL where an event is of the thread only.
CREATE TABLE events (
  thread_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  run_id TEXT,
  run_seq INTEGER,
  event TEXT,
  data TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- JSON: which lists were taken out of the data, and where; NULL: none.
  lists TEXT,
  PRIMARY KEY (thread_id, seq),
  CHECK (run_id IS NOT NULL OR run_seq IS NULL)
) STRICT;

CREATE UNIQUE INDEX events_of_run ON events (run_id, run_seq);
CREATE INDEX events_ends ON events (created_at) WHERE event = '__end__';
CREATE INDEX events_of_threads ON events (created_at) WHERE event = 'state_update';

-- As channel_parts: hash is that of the bytes, which are an item of a list or the hashes of eight.
CREATE TABLE event_parts (
  thread_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (thread_id, hash)
) STRICT;

-- No reference to threads either: a graph may write checkpoints under a thread id of its own.
CREATE TABLE checkpoints (
  thread_id TEXT NOT NULL,
  checkpoint_ns TEXT NOT NULL,
  checkpoint_id TEXT NOT NULL,
  parent_checkpoint_id TEXT,
  run_id TEXT,
  type TEXT NOT NULL,
  bytes BLOB NOT NULL,
  metadata TEXT NOT NULL,
  channel_versions TEXT NOT NULL,
  PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id)
) STRICT;

CREATE INDEX checkpoints_of_thread ON checkpoints (thread_id, checkpoint_id);
CREATE INDEX checkpoints_of_run ON checkpoints (run_id, thread_id, checkpoint_ns)
  WHERE run_id IS NOT NULL;

-- One row for each version of a channel, shared by the checkpoints that name it.
CREATE TABLE channel_values (
  thread_id TEXT NOT NULL,
  checkpoint_ns TEXT NOT NULL,
  channel TEXT NOT NULL,
  version TEXT NOT NULL,
  type TEXT NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (thread_id, checkpoint_ns, channel, version)
) STRICT;

-- What the values of channels share. hash is that of the bytes: an item that is in many versions of a list is here
-- once, as are runs of items, whose bytes are the items' hashes.
CREATE TABLE channel_parts (
  thread_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (thread_id, hash)
) STRICT;

-- run_id is part of the key: a run that goes on from an older run's checkpoint hides its writes, and
-- a rollback uncovers them. '' for an update through the API. position is the order written.
CREATE TABLE checkpoint_writes (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  thread_id TEXT NOT NULL,
  checkpoint_ns TEXT NOT NULL,
  checkpoint_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  idx INTEGER NOT NULL,
  run_id TEXT NOT NULL,
  channel TEXT NOT NULL,
  type TEXT NOT NULL,
  bytes BLOB NOT NULL,
  -- The path of the task, which orders the writes of a step, as LangGraph for Python names it. Empty: unknown, as for
  -- all writes of LangGraph for JavaScript.
  task_path TEXT NOT NULL DEFAULT '',
  UNIQUE (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, run_id)
) STRICT;

CREATE INDEX checkpoint_writes_of_run ON checkpoint_writes (run_id, thread_id);

-- No reference to runs and threads: what is to be sent outlives them. metadata is the thread's.
CREATE TABLE webhook_deliveries (
  delivery_id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  url TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  last_attempt INTEGER NOT NULL,
  next_attempt_at INTEGER,
  response_status INTEGER,
  error TEXT,
  payload TEXT NOT NULL,
  metadata TEXT NOT NULL,
  origin TEXT,
  -- JSON; NULL: it is a webhook, with the headers of the project.
  headers TEXT,
  CHECK ((status = 'pending') = (next_attempt_at IS NOT NULL))
) STRICT;

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at)
  WHERE status = 'pending';
CREATE INDEX webhook_deliveries_by_created_at ON webhook_deliveries (created_at, delivery_id);
CREATE INDEX webhook_deliveries_of_run ON webhook_deliveries (run_id, created_at);
CREATE INDEX webhook_deliveries_settled ON webhook_deliveries (updated_at)
  WHERE status <> 'pending';

-- namespace is the labels joined by '.', which no label contains: those below a namespace are one
-- range of the key.
CREATE TABLE store_items (
  namespace TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  ttl_minutes REAL,
  expires_at INTEGER CHECK ((expires_at IS NULL) = (ttl_minutes IS NULL)),
  PRIMARY KEY (namespace, key)
) STRICT;

CREATE INDEX store_items_by_updated_at ON store_items (updated_at, namespace, key);
CREATE INDEX store_items_expiring ON store_items (expires_at) WHERE expires_at IS NOT NULL;

-- In the order of the key, so that a namespace's vectors are read one after the other. dims: vectors
-- that another model made before are not compared with those of another length.
CREATE TABLE store_item_vectors (
  namespace TEXT NOT NULL,
  key TEXT NOT NULL,
  field TEXT NOT NULL,
  dims INTEGER NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (namespace, key, field),
  FOREIGN KEY (namespace, key) REFERENCES store_items (namespace, key) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Push notifications of the Agent2Agent protocol.
-- config: as the client gave it, with what it wants to be known by.
CREATE TABLE push_configs (
  task_id TEXT NOT NULL,
  config_id TEXT NOT NULL,
  thread_id TEXT NOT NULL REFERENCES threads (thread_id) ON DELETE CASCADE,
  version TEXT NOT NULL CHECK (version IN ('0.3', '1.0')),
  created_at TEXT NOT NULL,
  config TEXT NOT NULL,
  PRIMARY KEY (task_id, config_id)
) STRICT;

CREATE INDEX push_configs_of_thread ON push_configs (thread_id);

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
  -- JSON: the outcome of the last run that it started; the id stands beside it, to be found by the end of the run.
  last_run TEXT,
  last_run_id TEXT,
  CHECK ((on_run_completed IS NULL) = (thread_id IS NOT NULL)),
  CHECK (enabled = 1 OR next_run_date IS NULL)
) STRICT;

CREATE INDEX crons_due ON crons (next_run_date) WHERE next_run_date IS NOT NULL;
CREATE INDEX crons_by_created_at ON crons (created_at, cron_id);
CREATE INDEX crons_of_assistant ON crons (assistant_id);
CREATE INDEX crons_of_thread ON crons (thread_id) WHERE thread_id IS NOT NULL;
`

const transitions = refusingTrigger({
  name: 'runs_transitions',
  before: 'UPDATE OF status ON runs',
  when: `NEW.status <> OLD.status AND NOT (
  (OLD.status = 'pending' AND NEW.status IN ('running', 'interrupted'))
  OR (OLD.status = 'running'
    AND NEW.status IN ('pending', 'success', 'error', 'interrupted', 'timeout'))
)`,
  message: 'a run cannot take this step of status',
})

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

const linesOnSqlite = `
CREATE TRIGGER runs_line_moves AFTER UPDATE OF status ON runs
WHEN ${HAS_LEFT}
BEGIN${MOVE_UP}
END;
CREATE TRIGGER runs_line_moves_on_delete AFTER DELETE ON runs
WHEN ${WAS_IN_LINE}
BEGIN${MOVE_UP}
END;
`

const linesOnPostgres = `
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

/**
 * How often PostgreSQL tidies up the tables whose rows change all the time; SQLite needs nothing like it. Every run
 * changes rows of the first four, and deletes rows of the others an hour later. By default PostgreSQL vacuums a table
 * when a fifth of it is dead, and analyzes it for the planner when a tenth has changed: of a million runs a fifth is
 * 200,000 rows, which every index of pending runs leads through, and of 100,000 threads 20,000 former states. No
 * `fillfactor`: the columns that a run changes are indexed, so that room in the page does not keep it there, and
 * `event_counters` finds room already.
 */
const CHANGING = ['runs', 'threads', 'thread_labels', 'event_counters', 'events', 'event_parts']

const OFTEN = `autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 500,
  toast.autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_threshold = 500`

const vacuuming = CHANGING.map((table) => `ALTER TABLE ${table} SET (${OFTEN});`).join('\n')

const sql = {
  sqlite: tables + transitions.sqlite + linesOnSqlite,
  postgres: tables + transitions.postgres + linesOnPostgres + vacuuming,
}

export const initial: Migration = { version: 16, name: 'initial', sql }
