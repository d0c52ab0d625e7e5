/** OAuth providers, consents, connections of agents, events of tokens; and the states of tokens. */
import type { Migration } from '../migrate.ts'

const sql = `
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

ALTER TABLE oauth_tokens ADD COLUMN provider_key TEXT NOT NULL DEFAULT '';
ALTER TABLE oauth_tokens ADD COLUMN end_user_id TEXT NOT NULL DEFAULT '';
ALTER TABLE oauth_tokens ADD COLUMN account_id TEXT;
ALTER TABLE oauth_tokens ADD COLUMN asked_scopes TEXT NOT NULL DEFAULT '[]';
ALTER TABLE oauth_tokens ADD COLUMN status TEXT NOT NULL DEFAULT 'active'
  CHECK (status IN ('active', 'expired'));
ALTER TABLE oauth_tokens ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}';
ALTER TABLE oauth_tokens ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE oauth_tokens ADD COLUMN retry_at INTEGER;
ALTER TABLE oauth_tokens ADD COLUMN refresh_failures INTEGER NOT NULL DEFAULT 0;
-- Who refreshes it, and until when that is theirs alone.
ALTER TABLE oauth_tokens ADD COLUMN refresh_holder TEXT;
ALTER TABLE oauth_tokens ADD COLUMN refresh_until INTEGER;

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

-- Part of the agents' key of a deployment; another one ends the key. NULL: it was never changed.
ALTER TABLE deployments ADD COLUMN agent_key_nonce TEXT;
`

export const oauthVault: Migration = { version: 7, name: 'oauth-vault', sql }
