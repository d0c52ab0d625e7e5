/** Push notifications of the Agent2Agent protocol. */
import type { Migration } from '../migrate.ts'

const sql = `
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

-- JSON; NULL: it is a webhook, with the headers of the project.
ALTER TABLE webhook_deliveries ADD COLUMN headers TEXT;
`

export const pushConfigs: Migration = { version: 10, name: 'push configs', sql }
