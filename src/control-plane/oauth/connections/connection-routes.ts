/** `/v2/auth/agents/{agent_id}/connections` */
import {
  body,
  createRoutes,
  json,
  operationsForAnyKey,
  type Routes,
} from '../../operations/route.ts'
import type { OAuthParts } from '../parts.ts'
import {
  AgentPathSchema,
  ConnectionCreateRequestSchema,
  ConnectionListSchema,
  ConnectionPathSchema,
  ConnectionSchema,
  ConnectionsQuerySchema,
} from './connection-schemas.ts'
import { createConnection, deleteConnection, listConnections } from './connections.ts'

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
