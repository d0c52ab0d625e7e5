/** Operations that no test in `test/api` exercises, each with the reason. */
import type { DocumentName } from './document.ts'

interface Unexercised {
  document: DocumentName
  /** `GET /threads/{thread_id}` */
  operation: string
  reason: string
}

const noApp = 'There is no GitHub App to install, so it always refuses.'
const controlPlane: Omit<Unexercised, 'document'>[] = [
  { operation: 'GET /v1/integrations/github/{integration_id}/repos', reason: noApp },
  { operation: 'GET /v1/integrations/forge/github/{integration_id}/repos', reason: noApp },
  { operation: 'POST /v2/integrations/forge-github/installation-link', reason: noApp },
  {
    operation: 'POST /v2/auth/start/{auth_id}',
    reason: 'Its good answer is 303, to the provider: every test of a consent follows it.',
  },
  {
    operation: 'GET /v2/session/oidc',
    reason: 'Its good answer is 302, to the issuer: every test of signing in there follows it.',
  },
  {
    operation: 'GET /v2/session/oidc/callback',
    reason: 'Its good answer is a redirect into the dashboard, which those tests look at.',
  },
]

const noSessions = 'The Model Context Protocol is served without sessions, so it always refuses.'
const agentServer: Omit<Unexercised, 'document'>[] = [
  { operation: 'GET /mcp/', reason: noSessions },
  { operation: 'DELETE /mcp/', reason: noSessions },
]

export const UNEXERCISED: Unexercised[] = [
  ...controlPlane.map((one): Unexercised => ({ document: 'control-plane', ...one })),
  ...agentServer.map((one): Unexercised => ({ document: 'agent-server', ...one })),
]
