/** Host names of deployments, with certificates of their own if they have one. */
import type { Migration } from '../migrate.ts'

const sql = `
CREATE TABLE domains (
  id TEXT PRIMARY KEY,
  deployment_id TEXT NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
  host TEXT NOT NULL UNIQUE,
  certificate TEXT,
  -- Sealed.
  private_key TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((certificate IS NULL) = (private_key IS NULL))
) STRICT;

CREATE INDEX domains_deployment ON domains (deployment_id, created_at);
`

export const domains: Migration = { version: 13, name: 'domains', sql }
