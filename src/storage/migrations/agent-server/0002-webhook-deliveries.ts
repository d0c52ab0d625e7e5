/** Webhooks: their outbox, and the column that their bodies need of a run. */
import type { Migration } from '../migrate.ts'

const sql = `
-- When the run was first claimed, in ms since 1970, and which request made it.
ALTER TABLE runs ADD COLUMN started_at INTEGER;
ALTER TABLE runs ADD COLUMN origin TEXT;

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
  CHECK ((status = 'pending') = (next_attempt_at IS NOT NULL))
) STRICT;

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at)
  WHERE status = 'pending';
CREATE INDEX webhook_deliveries_by_created_at ON webhook_deliveries (created_at, delivery_id);
CREATE INDEX webhook_deliveries_of_run ON webhook_deliveries (run_id, created_at);
CREATE INDEX webhook_deliveries_settled ON webhook_deliveries (updated_at)
  WHERE status <> 'pending';
`

export const webhookDeliveries: Migration = { version: 2, name: 'webhook deliveries', sql }
