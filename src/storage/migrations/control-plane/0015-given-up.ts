/** Releases that are not over yet: hosts that a workspace had, and tokens that providers have to revoke. */
import type { Migration } from '../migrate.ts'

const sql = `
CREATE TABLE released_domains (
  host TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  released_at TEXT NOT NULL
) STRICT;

CREATE INDEX released_domains_age ON released_domains (released_at);

-- The id is the token's.
CREATE TABLE oauth_revocations (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  end_user_id TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  -- Sealed.
  secrets TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  -- In ms since 1970.
  next_at INTEGER NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE INDEX oauth_revocations_due ON oauth_revocations (next_at);
`

export const givenUp: Migration = { version: 15, name: 'given-up', sql }
