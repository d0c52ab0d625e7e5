/** What to send to each operation of the control plane's document, for tests that walk all of it. */
import { type OperationObject, operationsOf, readDocument } from '../../contract/document.ts'
import { DOMAIN_CERTIFICATE } from '../gateway/certificate.ts'
import { aCreateRequest, type ControlPlaneWorld } from './control-plane.ts'
import { anOAuthToken } from './control-plane-records.ts'

/** The things of one workspace, by the name that paths give their ids. */
export interface Things {
  workspace_id: string
  deployment_id: string
  revision_id: string
  host: string
  listener_id: string
  api_key_id: string
  provider_id: string
  auth_id: string
  token_id: string
  agent_id: string
  connection_id: string
  session_id: string
  /** Of who made all of it. */
  user_id: string
}

/** A request for a provider that nothing is asked of. */
function aProvider(provider_id: string): Record<string, unknown> {
  const [auth_url, token_url] = ['auth', 'token'].map((end) => `http://127.0.0.1:9/${end}`)
  return { provider_id, name: provider_id, client_id: 'client', auth_url, token_url }
}

const listener = { compute_type: 'k8s', compute_id: 'west', compute_config: {} }

/** Of a fixed time: answers to the same question are compared. */
const figures = () => ({ query: 'to=2026-01-02T00:00:00Z' })

/** What a request carries beside its path. A new operation that takes a body needs its row. */
const CARRIES: Record<string, (things: Things) => { query?: string; body?: unknown }> = {
  'GET /v2/deployments': ({ deployment_id }) => ({ query: `deployment_ids=${deployment_id}` }),
  'POST /v2/deployments': () => ({ body: aCreateRequest({ name: 'walked' }) }),
  'DELETE /v2/deployments': ({ deployment_id }) => ({ query: `deployment_ids=${deployment_id}` }),
  'PATCH /v2/deployments/{deployment_id}': () => ({ body: { display_name: 'walked' } }),
  'GET /v2/deployments/{deployment_id}/figures': figures,
  'GET /v2/figures': figures,
  'GET /v2/installation/figures': figures,
  'POST /v2/deployments/{deployment_id}/revisions': () => ({ body: {} }),
  'POST /v2/deployments/{deployment_id}/domains': () => ({
    body: { host: 'walked.team.example.com' },
  }),
  'PUT /v2/deployments/{deployment_id}/domains/{host}/certificate': () => ({
    body: DOMAIN_CERTIFICATE,
  }),
  'POST /v2/deployments/{deployment_id}/push-token': () => ({ body: {} }),
  'POST /v2/deployments/{deployment_id}/rollback': () => ({ body: {} }),
  'GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs': () => ({
    query: 'type=build',
  }),
  'GET /v2/deployment-logs': ({ deployment_id }) => ({
    query: `deployment_id=${deployment_id}&log_type=BUILD`,
  }),
  'POST /v1/projects/{project_id}/revisions/{revision_id}/build_logs': () => ({ body: {} }),
  'POST /v1/projects/{project_id}/revisions/{revision_id}/deploy_logs': () => ({ body: {} }),
  'POST /v1/projects/{project_id}/deploy_logs': () => ({ body: {} }),
  'GET /internal/domains/ask': () => ({ query: 'domain=walked.example.com' }),
  'POST /v2/listeners': () => ({ body: listener }),
  'POST /internal/listener/exchange': () => ({ body: {} }),
  'POST /internal/listener/caller': () => ({ body: { headers: {} } }),
  'PATCH /v2/listeners/{listener_id}': () => ({ body: { version: '9' } }),
  'POST /v2/integrations/forge-github/installation-link': () => ({ body: {} }),
  'POST /v2/auth/providers': () => ({ body: aProvider('walked') }),
  'POST /v2/auth/providers/mcp-discover': () => ({
    body: { provider_id: 'mcp', name: 'MCP', mcp_server_url: 'http://127.0.0.1:9/mcp' },
  }),
  'PATCH /v2/auth/providers/{provider_id}': () => ({ body: { name: 'walked' } }),
  'POST /v2/auth/authenticate': ({ provider_id }) => ({
    body: { provider: provider_id, scopes: ['read'] },
  }),
  'GET /v2/auth/wait/{auth_id}': () => ({ query: 'timeout=0' }),
  'POST /v2/auth/callback/{provider_id}': () => ({ body: { code: 'walked', state: 'walked' } }),
  'DELETE /v2/auth/tokens': () => ({ query: 'provider_id=github' }),
  'GET /v2/auth/tokens/exists': () => ({ query: 'provider_id=github' }),
  'PATCH /v2/auth/tokens/{token_id}/metadata': () => ({
    body: { provider_account_label: 'walked' },
  }),
  'POST /v2/auth/agents/{agent_id}/connections': ({ token_id }) => ({
    body: { oauth_token_id: token_id },
  }),
  'POST /v2/session': () => ({ body: { code: 'walked' } }),
  'POST /v2/workspaces': () => ({ body: { name: 'walked' } }),
  'PATCH /v2/workspaces/{workspace_id}': () => ({ body: { name: 'walked' } }),
  'GET /v2/api-keys': ({ workspace_id }) => ({ query: `workspace_id=${workspace_id}` }),
  'POST /v2/api-keys': ({ workspace_id }) => ({
    body: { name: 'walked', role: 'admin', workspace_id },
  }),
}

interface Stop {
  /** `PATCH /v2/deployments/{deployment_id}` */
  operation: string
  method: string
  /** With the things' ids in it, and the query. */
  path: string
  body: unknown
}

/** One request for each operation, those that only read first and those that remove last. */
export function tourOf(things: Things): Stop[] {
  const ids: Record<string, string> = {
    ...things,
    project_id: things.deployment_id,
    integration_id: things.deployment_id,
    file: 'walked.tar.gz',
    digest: '0'.repeat(64),
  }
  const order = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
  return operationsOf(readDocument('control-plane'))
    .map(({ method, path, operation }) => {
      const name = `${method} ${path}`
      const { query = '', body } = CARRIES[name]?.(things) ?? {}
      if (needsBody(operation, method) && body === undefined) {
        throw new Error(`CARRIES says nothing of ${name}, which takes a body.`)
      }
      const filled = path.replace(/\{(\w+)\}/g, (_, id) => ids[id] ?? missing(id))
      return { operation: name, method, path: query ? `${filled}?${query}` : filled, body }
    })
    .toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method))
}

/**
 * A deployment with a revision and a domain, a listener, a viewer's key, and an OAuth provider with a consent, a token
 * and an agent's connection to it, made with this admin key.
 */
export async function furnish(world: ControlPlaneWorld, key: string, name: string) {
  const make = async (path: string, request: unknown) => {
    const { status, body } = await world.call('POST', path, request, key)
    if (status >= 300) throw new Error(`POST ${path} answers ${status}: ${JSON.stringify(body)}`)
    return body
  }
  const deployment = await make('/v2/deployments', aCreateRequest({ name }))
  const host = `${name}.team.example.com`
  await make(`/v2/deployments/${deployment.id}/domains`, { host, ...DOMAIN_CERTIFICATE })
  const { id: listener_id } = await make('/v2/listeners', { ...listener, compute_id: name })
  const { id: api_key_id } = await make('/v2/api-keys', { name, role: 'viewer' })
  const { provider_id, id: provider_key } = await make(
    '/v2/auth/providers',
    aProvider(`provider-${name}`),
  )
  const asked = { provider: provider_id, scopes: ['read'] }
  const { auth_id, user_id } = await make('/v2/auth/authenticate', asked)
  const workspace_id = deployment.tenant_id
  const token = anOAuthToken({ workspace_id, user_id, provider_key, provider_id })
  await world.store.oauth.tokens.insert(token)
  const agent_id = `agent-${name}`
  const path = `/v2/auth/agents/${agent_id}/connections`
  const { id: connection_id } = await make(path, { oauth_token_id: token.id })
  const { id: session_id } = await make('/v2/session', { api_key: key })
  return {
    workspace_id,
    deployment_id: deployment.id,
    revision_id: deployment.latest_revision_id,
    host,
    listener_id,
    api_key_id,
    provider_id,
    auth_id,
    token_id: token.id,
    agent_id,
    connection_id,
    session_id,
    user_id,
  } satisfies Things
}

function needsBody({ requestBody }: OperationObject, method: string): boolean {
  return method !== 'PUT' && requestBody?.content['application/json'] !== undefined
}

function missing(name: string): never {
  throw new Error(`No thing has the id ${name}: add it to Things and to furnish.`)
}
