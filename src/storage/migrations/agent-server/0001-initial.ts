/** The agent server's first schema. A test compares its lists of words with those of `core/`. */
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
  seen_at INTEGER NOT NULL
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
  CHECK ((status = 'running') = (lease_server_id IS NOT NULL)),
  CHECK ((status = 'running') = (lease_expires_at IS NOT NULL))
) STRICT;

CREATE UNIQUE INDEX runs_one_running_per_thread ON runs (thread_id) WHERE status = 'running';
-- All that a claim looks at, so that it passes a busy thread's thousand runs without reading them.
CREATE INDEX runs_to_claim ON runs (seq, thread_id, available_at) WHERE status = 'pending';
CREATE INDEX runs_due ON runs (available_at) WHERE status = 'pending';
CREATE INDEX runs_active ON runs (thread_id, status, seq) WHERE status IN ('pending', 'running');
CREATE INDEX runs_of_thread ON runs (thread_id, seq);

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
  last_seq INTEGER NOT NULL
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
  PRIMARY KEY (thread_id, seq),
  CHECK (run_id IS NOT NULL OR run_seq IS NULL)
) STRICT;

CREATE UNIQUE INDEX events_of_run ON events (run_id, run_seq);
CREATE INDEX events_ends ON events (created_at) WHERE event = '__end__';
CREATE INDEX events_of_threads ON events (created_at) WHERE event = 'state_update';

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
  UNIQUE (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, run_id)
) STRICT;

CREATE INDEX checkpoint_writes_of_run ON checkpoint_writes (run_id, thread_id);
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

const sql = { sqlite: tables + transitions.sqlite, postgres: tables + transitions.postgres }

export const initial: Migration = { version: 1, name: 'initial', sql }
