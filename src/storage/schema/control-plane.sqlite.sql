-- Generated from the migrations; never edited by hand. A test compares it with them.

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

CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log
BEGIN
  SELECT RAISE(ABORT, 'nothing is removed from the audit log');
END;

CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log
BEGIN
  SELECT RAISE(ABORT, 'the audit log is never changed');
END;

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
  -- Whether its project asks for the API keys of its callers, for `runyard doctor`.
  forwards_api_key INTEGER NOT NULL DEFAULT 0 CHECK (forwards_api_key IN (0, 1)),
  FOREIGN KEY (id, latest_revision_id) REFERENCES revisions (deployment_id, id)
    DEFERRABLE INITIALLY DEFERRED,
  FOREIGN KEY (id, active_revision_id) REFERENCES revisions (deployment_id, id)
    DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE UNIQUE INDEX deployments_host_name ON deployments (replace(name, '_', '-'));

CREATE INDEX deployments_name ON deployments (name);

CREATE INDEX deployments_tenant ON deployments (tenant_id, created_at);

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

CREATE TABLE encryption_probe (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  sealed TEXT NOT NULL
) STRICT;

CREATE TABLE figures (
  -- Empty: the control plane itself.
  deployment_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  sample TEXT NOT NULL,
  PRIMARY KEY (deployment_id, at)
) STRICT, WITHOUT ROWID;

CREATE INDEX figures_age ON figures (at);

CREATE TABLE leadership (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  token INTEGER NOT NULL,
  beat INTEGER NOT NULL,
  holder TEXT,
  url TEXT NOT NULL
) STRICT;

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

CREATE INDEX oauth_consents_expiry ON oauth_consents (status, expires_at);

CREATE INDEX oauth_consents_fingerprint ON oauth_consents (fingerprint, status);

CREATE INDEX oauth_consents_owner ON oauth_consents (workspace_id, user_id, end_user_id);

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

CREATE INDEX oauth_token_events_age ON oauth_token_events (created_at);

CREATE INDEX oauth_token_events_end_user ON oauth_token_events (workspace_id, end_user_id, seq)
  WHERE end_user_id <> '';

CREATE INDEX oauth_token_events_user ON oauth_token_events (workspace_id, user_id, seq);

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

CREATE INDEX oauth_tokens_end_user ON oauth_tokens (workspace_id, end_user_id)
  WHERE end_user_id <> '';

CREATE INDEX oauth_tokens_idle ON oauth_tokens (status, updated_at);

CREATE INDEX oauth_tokens_owner ON oauth_tokens (workspace_id, user_id, provider_id);

CREATE INDEX oauth_tokens_provider ON oauth_tokens (provider_key, workspace_id);

CREATE TABLE released_domains (
  host TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  released_at TEXT NOT NULL
) STRICT;

CREATE INDEX released_domains_age ON released_domains (released_at);

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
  steps TEXT NOT NULL DEFAULT '', message TEXT, commit_author TEXT, commit_subject TEXT,
  UNIQUE (deployment_id, id),
  UNIQUE (deployment_id, number)
) STRICT;

CREATE UNIQUE INDEX revisions_one_under_way ON revisions (deployment_id)
  WHERE status IN ('AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING');

CREATE TABLE schema_migrations (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL
);

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

CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE INDEX sessions_former ON sessions (former_hash);

CREATE INDEX sessions_user ON sessions (user_id, used_at);

CREATE TABLE sign_in_codes (
  code_hash TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  holder TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;

CREATE INDEX sign_in_codes_expiry ON sign_in_codes (expires_at);

CREATE INDEX sign_in_codes_user ON sign_in_codes (user_id);

CREATE TABLE uploads (
  object_path TEXT PRIMARY KEY,
  deployment_id TEXT NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  uploaded_at TEXT,
  bytes INTEGER CHECK (bytes >= 0),
  CHECK ((uploaded_at IS NULL) = (bytes IS NULL))
) STRICT;

CREATE INDEX uploads_deployment ON uploads (deployment_id);

CREATE TABLE workspaces (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
