/**
 * What each operation of an agent server requires of a caller whom the gateway admitted with a role. A `look` changes
 * nothing; everything else is `talk`.
 */
import { AppError } from '../errors.ts'
import { isAllowed, type Role } from './api-key.ts'

/** `message`: the operation takes several kinds of messages; the tables below list those that only look. */
type AgentNeed = 'open' | 'look' | 'talk' | 'message'

/**
 * By method and path, as in the agent server's document. `open`: needs no key. Operations that are not listed, such as
 * the project's own routes, are `talk`.
 */
export const AGENT_ACCESS: Readonly<Record<string, AgentNeed>> = {
  'GET /ok': 'open',
  'GET /info': 'open',
  'GET /': 'look',
  'GET /ui/{graph_id}/{file}': 'open',
  'POST /ui/{graph_id}': 'look',
  'GET /metrics': 'look',
  'GET /openapi.json': 'look',
  'GET /docs': 'look',
  'GET /docs/{file}': 'look',
  'POST /assistants': 'talk',
  'POST /assistants/search': 'look',
  'POST /assistants/count': 'look',
  'GET /assistants/{assistant_id}': 'look',
  'PATCH /assistants/{assistant_id}': 'talk',
  'DELETE /assistants/{assistant_id}': 'talk',
  'POST /assistants/{assistant_id}/versions': 'look',
  'POST /assistants/{assistant_id}/latest': 'talk',
  'GET /assistants/{assistant_id}/graph': 'look',
  'GET /assistants/{assistant_id}/schemas': 'look',
  'GET /assistants/{assistant_id}/subgraphs': 'look',
  'GET /assistants/{assistant_id}/subgraphs/{namespace}': 'look',
  'POST /threads': 'talk',
  'POST /threads/search': 'look',
  'POST /threads/count': 'look',
  'POST /threads/prune': 'talk',
  'GET /threads/{thread_id}': 'look',
  'PATCH /threads/{thread_id}': 'talk',
  'DELETE /threads/{thread_id}': 'talk',
  'POST /threads/{thread_id}/copy': 'talk',
  'GET /threads/{thread_id}/storage': 'look',
  'GET /threads/{thread_id}/state': 'look',
  'POST /threads/{thread_id}/state': 'talk',
  'PATCH /threads/{thread_id}/state': 'talk',
  'POST /threads/{thread_id}/state/checkpoint': 'look',
  'GET /threads/{thread_id}/state/{checkpoint_id}': 'look',
  'GET /threads/{thread_id}/history': 'look',
  'POST /threads/{thread_id}/history': 'look',
  'GET /threads/{thread_id}/stream': 'look',
  'POST /threads/{thread_id}/commands': 'message',
  'POST /threads/{thread_id}/stream/events': 'look',
  // The WebSocket, which also carries commands.
  'GET /threads/{thread_id}/stream/events': 'message',
  'POST /threads/{thread_id}/runs': 'talk',
  'GET /threads/{thread_id}/runs': 'look',
  'POST /threads/{thread_id}/runs/wait': 'talk',
  'POST /threads/{thread_id}/runs/stream': 'talk',
  'GET /threads/{thread_id}/runs/{run_id}': 'look',
  'DELETE /threads/{thread_id}/runs/{run_id}': 'talk',
  // With `cancel_on_disconnect` these three can end the run: then they are `talk`.
  'GET /threads/{thread_id}/runs/{run_id}/join': 'look',
  'GET /threads/{thread_id}/runs/{run_id}/stream': 'look',
  'GET /runs/{run_id}/stream': 'look',
  'POST /threads/{thread_id}/runs/{run_id}/cancel': 'talk',
  'GET /threads/{thread_id}/runs/{run_id}/timeline': 'look',
  'GET /threads/{thread_id}/runs/{run_id}/timeline/{span_id}': 'look',
  'POST /runs': 'talk',
  'POST /runs/search': 'look',
  'POST /runs/wait': 'talk',
  'POST /runs/stream': 'talk',
  'POST /runs/batch': 'talk',
  'POST /runs/cancel': 'talk',
  'GET /webhooks/deliveries': 'look',
  'GET /webhooks/deliveries/{delivery_id}': 'look',
  'POST /webhooks/deliveries/{delivery_id}/redeliver': 'talk',
  'POST /webhooks/test': 'talk',
  'PUT /store/items': 'talk',
  'GET /store/items': 'look',
  'DELETE /store/items': 'talk',
  'POST /store/items/search': 'look',
  'POST /store/namespaces': 'look',
  'POST /threads/{thread_id}/runs/crons': 'talk',
  'POST /runs/crons': 'talk',
  'POST /runs/crons/search': 'look',
  'POST /runs/crons/count': 'look',
  'GET /runs/crons/{cron_id}': 'look',
  'PATCH /runs/crons/{cron_id}': 'talk',
  'DELETE /runs/crons/{cron_id}': 'talk',
  'POST /runs/crons/{cron_id}/run': 'talk',
  'POST /mcp': 'message',
  'POST /mcp/': 'message',
  'GET /mcp/': 'look',
  'DELETE /mcp/': 'look',
  'POST /a2a/{assistant_id}': 'message',
  'GET /.well-known/agent-card.json': 'look',
  'GET /a2a/{assistant_id}/.well-known/agent-card.json': 'look',
  'GET /a2a/{assistant_id}/.well-known/agent.json': 'look',
}

/** Commands of the thread protocol that only look. */
export const LOOKING_COMMANDS: ReadonlySet<string> = new Set([
  'state.get',
  'state.listCheckpoints',
  'agent.getTree',
  'subscription.subscribe',
  'subscription.unsubscribe',
  'subscription.reconnect',
])

/** Methods of the Model Context Protocol that only look. */
export const LOOKING_MCP_METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'notifications/initialized',
  'notifications/cancelled',
  'ping',
  'server/discover',
  'subscriptions/listen',
  'tools/list',
])

/** Methods of Agent2Agent 0.3 and 1.0 that only look. Those of push configs do not: the configs hold credentials. */
export const LOOKING_A2A_METHODS: ReadonlySet<string> = new Set([
  'tasks/get',
  'tasks/resubscribe',
  'agent/getAuthenticatedExtendedCard',
  'GetTask',
  'ListTasks',
  'SubscribeToTask',
  'GetExtendedAgentCard',
])

const PATTERNS = Object.entries(AGENT_ACCESS).map(([operation, need]) => {
  const [method = '', path = ''] = operation.split(' ')
  const source = path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')
  return { method, path: new RegExp(`^${source}$`), need }
})

/** What a request needs; the strictest if several rows match. `path` without the project's `mount_prefix`. */
export function agentNeed(method: string, path: string): AgentNeed {
  const asked = method === 'HEAD' ? 'GET' : method
  const needs = PATTERNS.filter((one) => one.method === asked && one.path.test(path)).map(
    ({ need }) => need,
  )
  const strictness = ['open', 'look', 'message', 'talk'] as const
  return strictness.findLast((need) => needs.includes(need)) ?? 'talk'
}

/** Whether the gateway admitted the caller with a role that only looks. */
export function isOnlooker(role: Role | undefined): boolean {
  return role !== undefined && !isAllowed(role, 'talk_to_agents')
}

/** Throws `forbidden` for a role that only looks. `what` names the request. */
export function requireTalk(role: Role | undefined, what: string): void {
  if (!isOnlooker(role)) return
  const who = 'Talking to agents needs the role agent, developer or admin.'
  throw new AppError(
    'forbidden',
    `The role ${role} only looks at agents, and ${what} does more. ${who}`,
  )
}
