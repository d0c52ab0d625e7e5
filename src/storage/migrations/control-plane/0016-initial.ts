/**
 * The control plane's schema as it was at version 16. `../migrate.ts` says why the first version is not 1.
 *
 * The lists of statuses, roles and sources are written out instead of imported, since a migration never
 * changes. A test compares the newest schema with the lists of `core/`.
 *
 * A workspace may be named before it has a row, so no foreign key refers to `workspaces`.
 */
import type { Migration } from '../migrate.ts'
import { refusingTrigger } from '../refusing-trigger.ts'

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
  revoked_at TEXT,
  hint TEXT,
  last_used_at TEXT
) STRICT;

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
  active_revision_id TEXT,
  -- The value from which the push webhook derives its secret.
  push_nonce TEXT,
  -- When it fell asleep, and when it has to wake.
  asleep_since TEXT,
  wake_at TEXT,
  -- Whether its own auth checks its callers, known while it sleeps too.
  has_own_auth INTEGER CHECK (has_own_auth IN (0, 1)),
  -- Part of the agents' key; another one ends the key. NULL: it was never changed.
  agent_key_nonce TEXT,
  -- Whether callers need no key.
  is_public INTEGER NOT NULL DEFAULT 0 CHECK (is_public IN (0, 1)),
  -- Whether its project asks for the API keys of its callers, for \`runyard doctor\`.
  forwards_api_key INTEGER NOT NULL DEFAULT 0 CHECK (forwards_api_key IN (0, 1))${references}
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
  -- The revision whose build it uses.
  built_from TEXT,
  deployed_at TEXT,
  parked_threads TEXT,
  -- Who made it and why.
  made_by TEXT,
  made_for TEXT
    CHECK (made_for IN ('create', 'change', 'push', 'redeploy', 'rollback', 'agent_key', 'take_back')),
  repeats INTEGER,
  -- A line for each: the status, and when it began.
  steps TEXT NOT NULL DEFAULT '',
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

CREATE TABLE released_domains (
  host TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  released_at TEXT NOT NULL
) STRICT;

CREATE INDEX released_domains_age ON released_domains (released_at);

CREATE TABLE listeners (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  compute_type TEXT NOT NULL CHECK (compute_type IN ('k8s')),
  compute_id TEXT NOT NULL,
  compute_config TEXT NOT NULL,
  version TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  -- Its gateway's URL.
  url TEXT,
  -- The hash of the key with which it asks what to run.
  key_hash TEXT,
  last_heard_at TEXT,
  UNIQUE (workspace_id, compute_id)
) STRICT;

CREATE UNIQUE INDEX listeners_by_key ON listeners (key_hash);

CREATE TABLE oauth_providers (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  name TEXT NOT NULL,
  client_id TEXT NOT NULL,
  -- Sealed.
  client_secret TEXT,
  auth_url TEXT NOT NULL,
  token_url TEXT NOT NULL,
  revocation_url TEXT,
  issuer TEXT,
  is_issuer_sent INTEGER NOT NULL CHECK (is_issuer_sent IN (0, 1)),
  uses_pkce INTEGER NOT NULL CHECK (uses_pkce IN (0, 1)),
  code_challenge_method TEXT CHECK (code_challenge_method IN ('S256', 'plain')),
  provider_type TEXT CHECK (provider_type IN ('microsoft', 'salesforce', 'slack')),
  token_endpoint_auth_method TEXT NOT NULL
    CHECK (token_endpoint_auth_method IN ('none', 'client_secret_basic', 'client_secret_post')),
  mcp_server_url TEXT,
  is_dynamic_client INTEGER NOT NULL CHECK (is_dynamic_client IN (0, 1)),
  authorization_params TEXT NOT NULL,
  allowed_redirect_uris TEXT NOT NULL,
  default_redirect_uri TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (workspace_id, provider_id)
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
  updated_at TEXT NOT NULL,
  provider_key TEXT NOT NULL DEFAULT '',
  end_user_id TEXT NOT NULL DEFAULT '',
  account_id TEXT,
  asked_scopes TEXT NOT NULL DEFAULT '[]',
  status TEXT NOT NULL DEFAULT 'active'
    CHECK (status IN ('active', 'expired')),
  metadata TEXT NOT NULL DEFAULT '{}',
  version INTEGER NOT NULL DEFAULT 1,
  retry_at INTEGER,
  refresh_failures INTEGER NOT NULL DEFAULT 0,
  -- Who refreshes it, and until when that is theirs alone.
  refresh_holder TEXT,
  refresh_until INTEGER
) STRICT;

CREATE INDEX oauth_tokens_owner ON oauth_tokens (workspace_id, user_id, provider_id);
CREATE INDEX oauth_tokens_idle ON oauth_tokens (status, updated_at);
CREATE INDEX oauth_tokens_provider ON oauth_tokens (provider_key, workspace_id);
CREATE INDEX oauth_tokens_end_user ON oauth_tokens (workspace_id, end_user_id)
  WHERE end_user_id <> '';

CREATE TABLE oauth_consents (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  end_user_id TEXT NOT NULL,
  actor TEXT NOT NULL,
  provider_key TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  scopes TEXT NOT NULL,
  token_id TEXT,
  agent_id TEXT,
  is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  is_further INTEGER NOT NULL CHECK (is_further IN (0, 1)),
  redirect_uri TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  state_hash TEXT NOT NULL UNIQUE,
  -- Sealed.
  secrets TEXT NOT NULL,
  status TEXT NOT NULL
    CHECK (status IN ('pending', 'exchanging', 'completed', 'refused', 'failed', 'expired')),
  problem TEXT,
  claimed_until INTEGER,
  created_at TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX oauth_consents_owner ON oauth_consents (workspace_id, user_id, end_user_id);
CREATE INDEX oauth_consents_fingerprint ON oauth_consents (fingerprint, status);
CREATE INDEX oauth_consents_expiry ON oauth_consents (status, expires_at);

CREATE TABLE oauth_connections (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  oauth_token_id TEXT NOT NULL REFERENCES oauth_tokens (id) ON DELETE CASCADE,
  created_by TEXT NOT NULL,
  created_at TEXT NOT NULL,
  UNIQUE (workspace_id, agent_id, oauth_token_id)
) STRICT;

CREATE INDEX oauth_connections_token ON oauth_connections (oauth_token_id);

CREATE TABLE oauth_token_events (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  end_user_id TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  agent_id TEXT,
  event_type TEXT NOT NULL
    CHECK (event_type IN ('token_created', 'token_updated', 'token_refreshed',
      'token_refresh_failed', 'token_expired', 'token_deleted', 'consent_refused',
      'consent_failed')),
  reason TEXT,
  source TEXT,
  provider_account_label TEXT,
  scopes TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE INDEX oauth_token_events_user ON oauth_token_events (workspace_id, user_id, seq);
CREATE INDEX oauth_token_events_end_user ON oauth_token_events (workspace_id, end_user_id, seq)
  WHERE end_user_id <> '';
CREATE INDEX oauth_token_events_age ON oauth_token_events (created_at);

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

-- Samples of deployments and of the control plane, kept for a day.
CREATE TABLE figures (
  -- Empty: the control plane itself.
  deployment_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  sample TEXT NOT NULL,
  PRIMARY KEY (deployment_id, at)
) STRICT, WITHOUT ROWID;

CREATE INDEX figures_age ON figures (at);

-- Which control plane leads: one row.
CREATE TABLE leadership (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  token INTEGER NOT NULL,
  beat INTEGER NOT NULL,
  holder TEXT,
  url TEXT NOT NULL
) STRICT;

INSERT INTO leadership (id, token, beat, holder, url) VALUES (1, 0, 0, NULL, '');
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

const triggers = {
  sqlite: noUpdate.sqlite + noDelete.sqlite,
  postgres: noUpdate.postgres + noDelete.postgres,
}

// SQLite cannot add a constraint later. PostgreSQL cannot refer to a table that does not exist yet.
const sql = {
  sqlite: tables(`,\n  ${references.join(',\n  ')}`) + triggers.sqlite,
  postgres: `${tables('')}\nALTER TABLE deployments ADD ${references.join(', ADD ')};\n${triggers.postgres}`,
}

export const initial: Migration = { version: 16, name: 'initial', sql }
