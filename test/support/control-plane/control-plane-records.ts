/** Records as the control plane's stores take them, valid as they are; a test changes what it is about. */
import { randomUUID } from 'node:crypto'
import type { Deployment } from '../../../src/core/deployment/deployment.ts'
import type { Domain } from '../../../src/core/deployment/domain.ts'
import type { Listener } from '../../../src/core/deployment/listener.ts'
import type { NewRevision, Revision } from '../../../src/core/deployment/revision.ts'
import { EMPTY_REVISION_CONFIG } from '../../../src/core/deployment/sources/config.ts'
import type { Upload } from '../../../src/core/deployment/upload.ts'
import type { AgentConnection } from '../../../src/core/oauth/connection.ts'
import type { OAuthConsent } from '../../../src/core/oauth/consent.ts'
import type { OAuthProvider } from '../../../src/core/oauth/provider.ts'
import type { OAuthToken } from '../../../src/core/oauth/token.ts'
import type { OAuthTokenEvent } from '../../../src/core/oauth/token-event.ts'
import { type ApiKey, DEFAULT_WORKSPACE_ID } from '../../../src/core/people/api-key.ts'
import type { AuditEntry } from '../../../src/core/people/audit.ts'
import type { Session, SessionHolder } from '../../../src/core/people/session.ts'

const CREATED_AT = '2026-11-20T12:00:00.000Z'

export function aDeployment(change: Partial<Deployment> = {}): Deployment {
  const id = randomUUID()
  return {
    id,
    tenant_id: DEFAULT_WORKSPACE_ID,
    name: `d-${id}`,
    display_name: null,
    source: 'github',
    source_config: { repo_url: 'https://git.example.com/agent.git', resource_spec: null },
    secrets: [{ name: 'OPENAI_API_KEY', value: 'sk-test' }],
    status: 'AWAITING_DATABASE',
    created_at: CREATED_AT,
    updated_at: CREATED_AT,
    latest_revision_id: null,
    active_revision_id: null,
    push_nonce: null,
    agent_key_nonce: null,
    asleep_since: null,
    wake_at: null,
    has_own_auth: null,
    is_public: false,
    ...change,
  }
}

export function aRevision(change: Partial<Revision> & { deployment_id: string }): NewRevision {
  return {
    id: randomUUID(),
    created_at: CREATED_AT,
    updated_at: CREATED_AT,
    status: 'CREATING',
    status_message: null,
    source: 'github',
    source_revision_config: {
      ...EMPTY_REVISION_CONFIG,
      repo_ref: 'main',
      langgraph_config_path: 'langgraph.json',
    },
    source_config: { install_command: null },
    secrets: [{ name: 'OPENAI_API_KEY', value: 'sk-test' }],
    built_from: null,
    deployed_at: null,
    parked_threads: null,
    made_by: 'laptop',
    made_for: 'change',
    repeats: null,
    message: 'A first look\nand more',
    commit_author: null,
    commit_subject: null,
    ...change,
  }
}

export function aDomain(change: Partial<Domain> & { deployment_id: string }): Domain {
  const id = randomUUID()
  return {
    id,
    host: `${id}.example.com`,
    certificate: null,
    created_at: CREATED_AT,
    updated_at: CREATED_AT,
    ...change,
  }
}

export function anApiKey(change: Partial<ApiKey> = {}): ApiKey {
  return {
    id: randomUUID(),
    name: 'laptop',
    workspace_id: DEFAULT_WORKSPACE_ID,
    role: 'developer',
    key_hash: randomUUID(),
    hint: null,
    created_at: CREATED_AT,
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    ...change,
  }
}

export function aSessionHolder(change: Partial<SessionHolder> = {}): SessionHolder {
  return {
    kind: 'api_key',
    user_id: randomUUID(),
    name: 'laptop',
    workspace_id: DEFAULT_WORKSPACE_ID,
    role: 'developer',
    workspaces: [DEFAULT_WORKSPACE_ID],
    key_hash: 'hash-of-key',
    ...change,
  }
}

export function aSession(change: Partial<Session> = {}): Session {
  return {
    ...aSessionHolder(),
    id: randomUUID(),
    secret_hash: randomUUID(),
    former_hash: null,
    former_until: null,
    rotated_at: CREATED_AT,
    user_agent: 'Chromium',
    created_at: CREATED_AT,
    used_at: CREATED_AT,
    expires_at: '2026-11-27T12:00:00.000Z',
    ends_at: '2026-12-20T12:00:00.000Z',
    ...change,
  }
}

export function anAuditEntry(change: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: randomUUID(),
    created_at: CREATED_AT,
    workspace_id: DEFAULT_WORKSPACE_ID,
    actor_kind: 'api_key',
    actor_id: 'key-1',
    actor_name: 'laptop',
    action: 'deployment.create',
    target_id: 'deployment-1',
    target_name: 'support',
    detail: { fields: ['name'], nested: { deep: null } },
    ...change,
  }
}

export function aListener(change: Partial<Listener> = {}): Listener {
  return {
    id: randomUUID(),
    workspace_id: DEFAULT_WORKSPACE_ID,
    compute_type: 'k8s',
    compute_id: `cluster-${randomUUID()}`,
    compute_config: { k8s_namespaces: ['agents'] },
    version: null,
    url: null,
    key_hash: null,
    last_heard_at: null,
    created_at: CREATED_AT,
    updated_at: CREATED_AT,
    ...change,
  }
}

export function anOAuthToken(change: Partial<OAuthToken> = {}): OAuthToken {
  return {
    id: randomUUID(),
    workspace_id: DEFAULT_WORKSPACE_ID,
    user_id: 'user-1',
    end_user_id: '',
    provider_key: `key-of-${change.provider_id ?? 'github'}`,
    provider_id: 'github',
    provider_account_label: 'octocat',
    account_id: '583231',
    access_token: 'access',
    refresh_token: 'refresh',
    scopes: ['repo', 'user:email'],
    asked_scopes: ['repo', 'user'],
    expires_at: '2026-11-21T12:00:00.000Z',
    status: 'active',
    is_default: true,
    metadata: { instance_url: 'https://eu1.example.com' },
    version: 1,
    retry_at: null,
    refresh_failures: 0,
    created_at: CREATED_AT,
    updated_at: CREATED_AT,
    ...change,
  }
}

export function anUpload(change: Partial<Upload> & { deployment_id: string }): Upload {
  return {
    object_path: `uploads/${randomUUID()}.tar.gz`,
    created_at: CREATED_AT,
    uploaded_at: null,
    bytes: null,
    ...change,
  }
}

export function anOAuthProvider(change: Partial<OAuthProvider> = {}): OAuthProvider {
  return {
    id: randomUUID(),
    workspace_id: DEFAULT_WORKSPACE_ID,
    provider_id: 'github',
    name: 'GitHub',
    client_id: 'client-1',
    client_secret: 'client-secret',
    auth_url: 'https://provider.example.com/authorize',
    token_url: 'https://provider.example.com/token',
    revocation_url: null,
    issuer: null,
    is_issuer_sent: false,
    uses_pkce: true,
    code_challenge_method: 'S256',
    provider_type: null,
    token_endpoint_auth_method: 'client_secret_post',
    mcp_server_url: null,
    is_dynamic_client: false,
    authorization_params: { prompt: 'consent' },
    allowed_redirect_uris: ['https://app.example.com/back'],
    default_redirect_uri: null,
    created_at: CREATED_AT,
    updated_at: CREATED_AT,
    ...change,
  }
}

export function anOAuthConsent(change: Partial<OAuthConsent> = {}): OAuthConsent {
  const id = randomUUID()
  return {
    id,
    workspace_id: DEFAULT_WORKSPACE_ID,
    user_id: 'user-1',
    end_user_id: 'anna',
    actor: { kind: 'api_key', name: 'laptop', role: 'developer' },
    provider_key: 'provider-1',
    provider_id: 'github',
    scopes: ['repo'],
    token_id: null,
    agent_id: null,
    is_default: true,
    is_further: false,
    redirect_uri: 'https://runyard.example.com/v2/auth/callback/github',
    fingerprint: 'fingerprint-1',
    state_hash: `hash-of-${id}`,
    secrets: { state: 'state', code_verifier: 'verifier', nonce: 'nonce', browser_key: 'browser' },
    status: 'pending',
    problem: null,
    claimed_until: null,
    created_at: CREATED_AT,
    expires_at: 1_000_000,
    ...change,
  }
}

export function anAgentConnection(
  change: Partial<AgentConnection> & { oauth_token_id: string },
): AgentConnection {
  return {
    id: randomUUID(),
    workspace_id: DEFAULT_WORKSPACE_ID,
    agent_id: 'agent-1',
    created_by: 'user-1',
    created_at: CREATED_AT,
    ...change,
  }
}

export function anOAuthTokenEvent(change: Partial<OAuthTokenEvent> = {}): OAuthTokenEvent {
  return {
    id: randomUUID(),
    workspace_id: DEFAULT_WORKSPACE_ID,
    user_id: 'user-1',
    end_user_id: '',
    provider_id: 'github',
    agent_id: null,
    event_type: 'token_created',
    reason: null,
    source: 'consent',
    provider_account_label: 'octocat',
    scopes: ['repo'],
    created_at: CREATED_AT,
    ...change,
  }
}
