/**
 * The one table of the control plane's operations and the permission that each needs. The operations
 * themselves check no permission again; they keep to the principal's workspace. An operation that is not
 * in the table is always refused; a test walks `openapi/control-plane.json` and finds missing ones.
 */
import type { MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { AppError } from '../../core/errors.ts'
import {
  isAllowed,
  isOperator,
  type Permission,
  type Principal,
} from '../../core/people/api-key.ts'
import type { ControlPlaneEnv } from '../operations/route.ts'

/**
 * By method and path, as in the document. `open`: needs no key, the operation protects itself.
 * A key that only calls agents has none of these permissions but `hold_tokens`.
 */
export const ACCESS: Readonly<Record<string, Need | 'open'>> = {
  'PUT /v2/uploads/{deployment_id}/{file}': 'open',
  'GET /internal/artifacts/{revision_id}/{digest}': 'open',
  'PUT /internal/builds/{revision_id}/{digest}': 'open',
  // With a listener's own key, which works for nothing else.
  'POST /internal/listener/exchange': 'open',
  'POST /internal/listener/caller': 'open',
  'GET /internal/domains/ask': 'open',
  'POST /v2/pushes/{deployment_id}': 'open',
  'POST /v2/session': 'open',
  'GET /v2/session/ways': 'open',
  'GET /v2/session/oidc': 'open',
  'GET /v2/session/oidc/callback': 'open',
  'GET /v2/session': 'read',
  'DELETE /v2/session': 'read',
  'POST /v2/session/link': 'read',
  // The caller's own sessions; for admins all of the workspace.
  'GET /v2/sessions': 'read',
  'DELETE /v2/sessions/{session_id}': 'read',
  'GET /v2/deployments': 'read',
  'POST /v2/deployments': 'write',
  'DELETE /v2/deployments': 'write',
  'GET /v2/deployments/free-count': 'read',
  'GET /v2/deployments/{deployment_id}': 'read',
  'PATCH /v2/deployments/{deployment_id}': 'write',
  'DELETE /v2/deployments/{deployment_id}': 'write',
  'GET /v2/deployments/{deployment_id}/runtime': 'read',
  'GET /v2/deployment-states': 'read',
  'GET /v2/deployments/{deployment_id}/figures': 'read',
  'GET /v2/figures': 'read',
  'GET /v2/deployments/{deployment_id}/revisions': 'read',
  'GET /v2/deployments/{deployment_id}/revision-history': 'read',
  'POST /v2/deployments/{deployment_id}/revisions': 'write',
  'POST /v2/deployments/{deployment_id}/revisions/{revision_id}/interrupt': 'write',
  'POST /v2/deployments/{deployment_id}/revisions/{revision_id}/interruption': 'write',
  'GET /v2/deployments/{deployment_id}/revisions/{revision_id}': 'read',
  'GET /v2/deployments/{deployment_id}/revisions/{revision_id}/changes': 'read',
  'POST /v2/deployments/{deployment_id}/revisions/{revision_id}/redeploy': 'write',
  'POST /v2/deployments/{deployment_id}/rollback': 'write',
  'POST /v1/projects/{project_id}/revisions/{revision_id}/build_logs': 'read',
  'POST /v1/projects/{project_id}/revisions/{revision_id}/deploy_logs': 'read',
  'POST /v1/projects/{project_id}/deploy_logs': 'read',
  'GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs': 'read',
  'GET /v2/deployment-logs': 'read',
  'POST /v2/deployments/{deployment_id}/upload-url': 'write',
  'POST /v2/deployments/{deployment_id}/push-token': 'write',
  'POST /v2/deployments/{deployment_id}/agent-key/rotate': 'write',
  'POST /v2/deployments/{deployment_id}/push-webhook': 'write',
  'DELETE /v2/deployments/{deployment_id}/push-webhook': 'write',
  'GET /v2/deployments/{deployment_id}/domains': 'read',
  'POST /v2/deployments/{deployment_id}/domains': 'write',
  'DELETE /v2/deployments/{deployment_id}/domains/{host}': 'write',
  'PUT /v2/deployments/{deployment_id}/domains/{host}/certificate': 'write',
  'DELETE /v2/deployments/{deployment_id}/domains/{host}/certificate': 'write',
  'GET /v2/listeners': 'read',
  'POST /v2/listeners': 'write',
  'GET /v2/listeners/{listener_id}': 'read',
  'PATCH /v2/listeners/{listener_id}': 'write',
  'DELETE /v2/listeners/{listener_id}': 'write',
  'POST /v2/listeners/{listener_id}/key': 'write',
  'DELETE /v2/listeners/{listener_id}/key': 'write',
  'GET /v1/integrations/github/install': 'read',
  'GET /v1/integrations/forge/github/install': 'read',
  'GET /v1/integrations/github/{integration_id}/repos': 'read',
  'GET /v1/integrations/forge/github/{integration_id}/repos': 'read',
  'POST /v2/integrations/forge-github/installation-link': 'write',
  'GET /v2/auth/providers': 'read',
  'POST /v2/auth/providers': 'write',
  'POST /v2/auth/providers/mcp-discover': 'write',
  'GET /v2/auth/providers/{provider_id}': 'read',
  'PATCH /v2/auth/providers/{provider_id}': 'write',
  'DELETE /v2/auth/providers/{provider_id}': 'write',
  'GET /v2/auth/platform-providers': 'read',
  // For people's browsers, which have no key.
  'GET /v2/auth/start/{auth_id}': 'open',
  'POST /v2/auth/start/{auth_id}': 'open',
  'GET /v2/auth/callback/{provider_id}': 'open',
  'GET /v2/auth/setup/{provider_id}': 'open',
  // For the caller's own tokens.
  'POST /v2/auth/callback/{provider_id}': 'hold_tokens',
  'POST /v2/auth/authenticate': 'hold_tokens',
  'GET /v2/auth/wait/{auth_id}': 'hold_tokens',
  'GET /v2/auth/tokens': 'hold_tokens',
  'DELETE /v2/auth/tokens': 'hold_tokens',
  'GET /v2/auth/tokens/exists': 'hold_tokens',
  'DELETE /v2/auth/tokens/{token_id}': 'hold_tokens',
  'PATCH /v2/auth/tokens/{token_id}/metadata': 'hold_tokens',
  'GET /v2/auth/token-events': 'hold_tokens',
  'GET /v2/auth/agents/{agent_id}/connections': 'hold_tokens',
  'POST /v2/auth/agents/{agent_id}/connections': 'hold_tokens',
  'DELETE /v2/auth/agents/{agent_id}/connections/{connection_id}': 'hold_tokens',
  // For all tokens of the workspace.
  'GET /v2/auth/tokens/workspace/slack/exists': 'read',
  'DELETE /v2/auth/tokens/workspace/slack': 'administer',
  'DELETE /v2/auth/tokens/workspace/users/{user_id}': 'administer',
  'GET /v2/me': 'read',
  'GET /v2/workspaces': 'read',
  'POST /v2/workspaces': 'operate',
  'GET /v2/workspaces/{workspace_id}': 'read',
  'PATCH /v2/workspaces/{workspace_id}': 'administer',
  'DELETE /v2/workspaces/{workspace_id}': 'operate',
  'GET /v2/api-keys': 'administer',
  'POST /v2/api-keys': 'administer',
  'GET /v2/api-keys/{api_key_id}': 'administer',
  'DELETE /v2/api-keys/{api_key_id}': 'administer',
  'POST /v2/encryption-key/rotate': 'operate',
  // Of all workspaces.
  'GET /metrics': 'operate',
  'GET /v2/installation/figures': 'operate',
  'GET /v2/audit-log': 'administer',
  'GET /v2/audit-log/export': 'administer',
}

/** Refuses operations that the table does not allow the request's principal; comes after the key check. */
export const requireAccess: MiddlewareHandler<ControlPlaneEnv> = async (c, next) => {
  const operation = operationOf(matchedRoutes(c))
  if (operation) requireNeed(operation, c.var.principal)
  await next()
}

function requireNeed(operation: string, principal: ControlPlaneEnv['Variables']['principal']) {
  const need = ACCESS[operation]
  if (need === undefined) {
    throw new AppError('forbidden', `${operation} has no permitted role: it has no row in ACCESS.`)
  }
  if (need !== 'open') requirePermission(principal, need)
}

/** The first route that is no middleware: `GET /v2/deployments/{deployment_id}`. */
function operationOf(routes: { method: string; path: string }[]): string | undefined {
  const route = routes.find(({ method }) => method !== 'ALL')
  const path = route?.path.replace(/^\/api-host(?=\/)/, '').replace(/:(\w+)/g, '{$1}')
  return route && `${route.method} ${path}`
}

/** `operate`: only for operators, the admins of the installation's first workspace. */
export type Need = Permission | 'operate'

/** Throws `forbidden` when the principal's role does not allow it. */
export function requirePermission(principal: Principal, need: Need): void {
  if (need === 'operate' ? isOperator(principal) : isAllowed(principal.role, need)) return
  const whose = principal.kind === 'user' ? 'A user' : 'An API key'
  const needed =
    need === 'operate'
      ? 'it is for admins of the first workspace, who run the installation.'
      : `it needs the permission ${need}.`
  throw new AppError('forbidden', `${whose} with role ${principal.role} may not do this: ${needed}`)
}
