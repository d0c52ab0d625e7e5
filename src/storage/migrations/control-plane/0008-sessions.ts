/** Signed-in browsers, and the links with which they sign in. */
import type { Migration } from '../migrate.ts'

const sql = `
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('api_key', 'user')),
  user_id TEXT NOT NULL,
  name TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('admin', 'developer', 'viewer', 'agent')),
  workspaces TEXT NOT NULL,
  key_hash TEXT,
  secret_hash TEXT NOT NULL UNIQUE,
  former_hash TEXT,
  former_until TEXT,
  rotated_at TEXT NOT NULL,
  user_agent TEXT,
  created_at TEXT NOT NULL,
  used_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  ends_at TEXT NOT NULL
) STRICT;

CREATE INDEX sessions_former ON sessions (former_hash);
CREATE INDEX sessions_user ON sessions (user_id, used_at);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE sign_in_codes (
  code_hash TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  holder TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;

CREATE INDEX sign_in_codes_user ON sign_in_codes (user_id);
CREATE INDEX sign_in_codes_expiry ON sign_in_codes (expires_at);
`

export const sessions: Migration = { version: 8, name: 'sessions', sql }
