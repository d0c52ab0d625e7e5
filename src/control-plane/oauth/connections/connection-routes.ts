/** `/v2/auth/agents/{agent_id}/connections` */
import { randomUUID } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import { timestamp } from '../../../core/clock.ts'
import { AppError } from '../../../core/errors.ts'
import type { AgentConnection } from '../../../core/oauth/connection.ts'
import { isOf, type OAuthToken } from '../../../core/oauth/token.ts'
import type { Principal } from '../../../core/people/api-key.ts'
import { answerOf } from '../../../http/answer.ts'
import type { OAuthParts } from '../../control-plane-parts.ts'
import {
  body,
  createRoutes,
  json,
  operationsForAnyKey,
  type Routes,
} from '../../operations/route.ts'
import { LongLimit, line, Offset, Uuid } from '../../operations/text.ts'
import { record } from '../../people/audit.ts'
import { requireToken } from '../tokens/tokens.ts'

const AgentId = line(256).min(1)

const AgentPathSchema = z.object({ agent_id: AgentId })

const ConnectionsQuerySchema = z.object({ limit: LongLimit, offset: Offset })

const ConnectionPathSchema = z.object({ agent_id: AgentId, connection_id: Uuid })

const ConnectionCreateRequestSchema = z
  .object({ oauth_token_id: Uuid })
  .openapi('CreateAgentConnectionRequest')

const ConnectionSchema = z
  .object({
    id: z.uuid(),
    agent_id: z.string(),
    oauth_token_id: z.uuid(),
    provider_id: z.string(),
    provider_account_label: z.string().nullable(),
    scopes: z.array(z.string()),
    expires_at: z.iso.datetime().nullable(),
    created_by: z.string(),
    created_at: z.iso.datetime(),
  })
  .openapi('AgentConnectionResponse')

type ConnectionAnswer = z.infer<typeof ConnectionSchema>

const ConnectionListSchema = z
  .object({ data: z.array(ConnectionSchema) })
  .openapi('AgentConnectionListResponse')

const operation = operationsForAnyKey('Agent Connections (v2)')

const list = operation('get', '/v2/auth/agents/{agent_id}/connections', {
  name: 'list_connections',
  summary: "List an agent's connections to the caller's accounts",
  request: { params: AgentPathSchema, query: ConnectionsQuerySchema },
  answers: { 200: json(ConnectionListSchema, 'The oldest first.') },
})

const create = operation('post', '/v2/auth/agents/{agent_id}/connections', {
  name: 'create_connection',
  summary: "Connect an agent to one of the caller's accounts",
  request: { params: AgentPathSchema, body: body(ConnectionCreateRequestSchema) },
  answers: { 201: json(ConnectionSchema, 'The connection.') },
  refusals: [404],
})

const remove = operation('delete', '/v2/auth/agents/{agent_id}/connections/{connection_id}', {
  name: 'remove_connection',
  summary: 'End a connection; the token stays',
  request: { params: ConnectionPathSchema },
  answers: { 204: { description: 'It is gone.' } },
  refusals: [404],
})

export function connectionRoutes(parts: OAuthParts): Routes {
  const routes = createRoutes()
  routes.openapi(list, async (c) => {
    const query = { ...c.req.valid('param'), ...c.req.valid('query') }
    return c.json(await listConnections(parts, c.var.principal, query), 200)
  })
  routes.openapi(create, async (c) => {
    const wanted = { ...c.req.valid('param'), ...c.req.valid('json') }
    return c.json(await createConnection(parts, c.var.principal, wanted), 201)
  })
  routes.openapi(remove, async (c) => {
    await deleteConnection(parts, c.var.principal, c.req.valid('param'))
    return c.body(null, 204)
  })
  return routes
}

// Which of the caller's accounts an agent works with.

/** Lists connections to tokens of the caller and their end users. */
async function listConnections(
  parts: OAuthParts,
  principal: Principal,
  query: { agent_id: string; limit: number; offset: number },
): Promise<{ data: ConnectionAnswer[] }> {
  const { connections, tokens } = parts.store.oauth
  const { workspace_id, user_id } = principal
  const found = await connections.listOfUser({ workspace_id, user_id, ...query })
  const all = await Promise.all(
    found.map(async (connection) => {
      const token = await tokens.get(connection.oauth_token_id)
      return token && answer(connection, token)
    }),
  )
  return { data: all.filter((one) => one !== undefined) }
}

/** Returns an existing connection unchanged. Throws `not_found` for the token of another user. */
async function createConnection(
  parts: OAuthParts,
  principal: Principal,
  { agent_id, oauth_token_id }: Pick<AgentConnection, 'agent_id' | 'oauth_token_id'>,
): Promise<ConnectionAnswer> {
  return parts.store.transaction(async (store) => {
    const token = await requireToken({ store }, principal, oauth_token_id)
    const connection = await store.oauth.connections.put({
      id: randomUUID(),
      workspace_id: principal.workspace_id,
      agent_id,
      oauth_token_id,
      created_by: principal.user_id,
      created_at: timestamp(parts.clock),
    })
    const deed = { action: 'oauth_connection.create', target_id: connection.id } as const
    const detail = { agent_id, oauth_token_id }
    await record(store, parts.clock, principal, { ...deed, detail })
    return answer(connection, token)
  })
}

/** The token stays. Throws `not_found`. */
async function deleteConnection(
  parts: OAuthParts,
  principal: Principal,
  { agent_id, connection_id }: { agent_id: string; connection_id: string },
): Promise<void> {
  await parts.store.transaction(async (store) => {
    const connection = await store.oauth.connections.get(connection_id)
    const token = connection && (await store.oauth.tokens.get(connection.oauth_token_id))
    if (connection?.agent_id !== agent_id || !token || !isOf(token, principal)) {
      throw new AppError('not_found', `Connection ID ${connection_id} not found.`)
    }
    await store.oauth.connections.delete(connection_id)
    const deed = { action: 'oauth_connection.delete', target_id: connection_id } as const
    await record(store, parts.clock, principal, { ...deed, detail: { agent_id } })
  })
}

function answer(connection: AgentConnection, token: OAuthToken): ConnectionAnswer {
  const { provider_id, provider_account_label, scopes, expires_at } = token
  const account = { provider_id, provider_account_label, scopes, expires_at }
  return answerOf(ConnectionSchema, connection, account)
}
