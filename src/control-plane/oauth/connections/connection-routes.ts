/** `/v2/auth/agents/{agent_id}/connections` */

import { randomUUID } from 'node:crypto'
import { timestamp } from '../../../core/clock.ts'
import { AppError } from '../../../core/errors.ts'
import type { AgentConnection } from '../../../core/oauth/connection.ts'
import type { OAuthToken } from '../../../core/oauth/token.ts'
import type { Principal } from '../../../core/people/api-key.ts'
import { answerOf } from '../../../http/answer.ts'
import {
  body,
  createRoutes,
  json,
  operationsForAnyKey,
  type Routes,
} from '../../operations/route.ts'
import { record } from '../../people/audit.ts'
import type { OAuthParts } from '../oauth-parts.ts'
import { isOf } from '../tokens/owners.ts'
import { requireToken } from '../tokens/tokens.ts'
import {
  AgentPathSchema,
  type ConnectionAnswer,
  ConnectionCreateRequestSchema,
  ConnectionListSchema,
  ConnectionPathSchema,
  ConnectionSchema,
  ConnectionsQuerySchema,
} from './connection-schemas.ts'

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
  return { data: (await ownConnections(parts, principal, query)).map(answer) }
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
    return answer({ connection, token })
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

interface Connected {
  connection: AgentConnection
  token: OAuthToken
}

async function ownConnections(
  { store }: Pick<OAuthParts, 'store'>,
  { workspace_id, user_id }: Principal,
  query: { agent_id: string; limit: number; offset: number },
): Promise<Connected[]> {
  const connections = await store.oauth.connections.listOfUser({ workspace_id, user_id, ...query })
  const all = await Promise.all(
    connections.map(async (connection) => {
      const token = await store.oauth.tokens.get(connection.oauth_token_id)
      return token && { connection, token }
    }),
  )
  return all.filter((one) => one !== undefined)
}

function answer({ connection, token }: Connected): ConnectionAnswer {
  const { provider_id, provider_account_label, scopes, expires_at } = token
  const account = { provider_id, provider_account_label, scopes, expires_at }
  return answerOf(ConnectionSchema, connection, account)
}
