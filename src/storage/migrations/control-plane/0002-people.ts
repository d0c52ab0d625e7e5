/** The last use and the beginning of a key; the audit log, which can only grow. */
import type { Migration } from '../migrate.ts'
import { refusingTrigger } from '../refusing-trigger.ts'

const tables = `
ALTER TABLE api_keys ADD COLUMN hint TEXT;
ALTER TABLE api_keys ADD COLUMN last_used_at TEXT;

CREATE INDEX api_keys_workspace ON api_keys (workspace_id, created_at);

CREATE TABLE audit_log (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  actor_kind TEXT NOT NULL CHECK (actor_kind IN ('api_key', 'user', 'push_webhook')),
  actor_id TEXT NOT NULL,
  actor_name TEXT NOT NULL,
  action TEXT NOT NULL,
  target_id TEXT NOT NULL,
  target_name TEXT,
  detail TEXT NOT NULL
) STRICT;

CREATE INDEX audit_log_workspace ON audit_log (workspace_id, seq);
`

const noUpdate = refusingTrigger({
  name: 'audit_log_no_update',
  before: 'UPDATE ON audit_log',
  message: 'the audit log is never changed',
})

const noDelete = refusingTrigger({
  name: 'audit_log_no_delete',
  before: 'DELETE ON audit_log',
  message: 'nothing is removed from the audit log',
})

const sql = {
  sqlite: tables + noUpdate.sqlite + noDelete.sqlite,
  postgres: tables + noUpdate.postgres + noDelete.postgres,
}

export const people: Migration = { version: 2, name: 'people', sql }
