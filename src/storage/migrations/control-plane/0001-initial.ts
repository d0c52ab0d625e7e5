/**
 * Workspaces, keys, deployments with their revisions, uploads, listeners, OAuth tokens.
 *
 * The lists of statuses, roles and sources are written out instead of imported, since a migration never
 * changes. A test compares the newest schema with the lists of `core/`.
 *
 * A workspace may be named before it has a row, so no foreign key refers to `workspaces`.
 */
import type { Migration } from '../migrate.ts'

/** A deployment's latest and active revisions are its own. One may be named before it exists. */
const references = ['latest_revision_id', 'active_revision_id'].map(
  (column) => `FOREIGN KEY (id, ${column}) REFERENCES revisions (deployment_id, id)
    DEFERRABLE INITIALLY DEFERRED`,
)

/** `references` are further lines of the table of deployments. */
const tables = (references: string) => `
-- One sealed row: a database is only opened with the key that it was written with.
CREATE TABLE encryption_probe (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  sealed TEXT NOT NULL
) STRICT;

CREATE TABLE workspaces (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('admin', 'developer', 'viewer', 'agent')),
  key_hash TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT
) STRICT;

CREATE TABLE deployments (
  id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  name TEXT NOT NULL,
  display_name TEXT,
  source TEXT NOT NULL
    CHECK (source IN ('github', 'external_docker', 'internal_docker', 'internal_source')),
  source_config TEXT NOT NULL,
  -- As answered, for lists: out of source_config, where it stays as created.
  deployment_type TEXT NOT NULL,
  secrets TEXT NOT NULL,
  status TEXT NOT NULL
    CHECK (status IN ('AWAITING_DATABASE', 'READY', 'UNUSED', 'AWAITING_DELETE', 'UNKNOWN')),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  latest_revision_id TEXT,
  active_revision_id TEXT${references}
) STRICT;

CREATE INDEX deployments_name ON deployments (name);
-- In host names '_' becomes '-', so names that differ in nothing else are the same one.
CREATE UNIQUE INDEX deployments_host_name ON deployments (replace(name, '_', '-'));
CREATE INDEX deployments_tenant ON deployments (tenant_id, created_at);

CREATE TABLE revisions (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  deployment_id TEXT NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number > 0),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  status TEXT NOT NULL
    CHECK (status IN ('CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY',
      'DEPLOYING', 'CREATE_FAILED', 'BUILD_FAILED', 'DEPLOY_FAILED', 'DEPLOYED', 'SKIPPED',
      'INTERRUPTED', 'UNKNOWN')),
  status_message TEXT,
  source TEXT NOT NULL
    CHECK (source IN ('github', 'external_docker', 'internal_docker', 'internal_source')),
  source_revision_config TEXT NOT NULL,
  source_config TEXT NOT NULL,
  secrets TEXT NOT NULL,
  UNIQUE (deployment_id, id),
  UNIQUE (deployment_id, number)
) STRICT;

-- One revision of a deployment at a time is past QUEUED and not at an end.
CREATE UNIQUE INDEX revisions_one_under_way ON revisions (deployment_id)
  WHERE status IN ('AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING');

CREATE TABLE uploads (
  object_path TEXT PRIMARY KEY,
  deployment_id TEXT NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  uploaded_at TEXT,
  bytes INTEGER CHECK (bytes >= 0),
  CHECK ((uploaded_at IS NULL) = (bytes IS NULL))
) STRICT;

CREATE INDEX uploads_deployment ON uploads (deployment_id);

CREATE TABLE listeners (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  compute_type TEXT NOT NULL CHECK (compute_type IN ('k8s')),
  compute_id TEXT NOT NULL,
  compute_config TEXT NOT NULL,
  version TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (workspace_id, compute_id)
) STRICT;

CREATE TABLE oauth_tokens (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  provider_account_label TEXT,
  access_token TEXT NOT NULL,
  refresh_token TEXT,
  scopes TEXT NOT NULL,
  expires_at TEXT,
  is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX oauth_tokens_owner ON oauth_tokens (workspace_id, user_id, provider_id);
`

// SQLite cannot add a constraint later. PostgreSQL cannot refer to a table that does not exist yet.
const sql = {
  sqlite: tables(`,\n  ${references.join(',\n  ')}`),
  postgres: `${tables('')}\nALTER TABLE deployments ADD ${references.join(', ADD ')};\n`,
}

export const initial: Migration = { version: 1, name: 'initial', sql }
