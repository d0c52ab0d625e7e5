/** `/v2/auth/agents/{agent_id}/connections` */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import { createRoutes } from '../../../http/app.ts'
import { body, type ControlPlaneEnv, json, refusals, SECURITY } from '../../operations/route.ts'
import type { OAuthParts } from '../parts.ts'
import {
  AgentPathSchema,
  ConnectionCreateRequestSchema,
  ConnectionListSchema,
  ConnectionPathSchema,
  ConnectionSchema,
  ConnectionsQuerySchema,
} from './schemas.ts'
import { createConnection, deleteConnection, listConnections } from './verbs.ts'

const shared = { tags: ['Agent Connections (v2)'], security: SECURITY }

const list = createRoute({
  method: 'get',
  path: '/v2/auth/agents/{agent_id}/connections',
  operationId: 'list_connections_v2_auth_agents__agent_id__connections_get',
  summary: "List an agent's connections to the caller's accounts",
  ...shared,
  request: { params: AgentPathSchema, query: ConnectionsQuerySchema },
  responses: { 200: json(ConnectionListSchema, 'The oldest first.'), ...refusals(401, 422) },
})

const create = createRoute({
  method: 'post',
  path: '/v2/auth/agents/{agent_id}/connections',
  operationId: 'create_connection_v2_auth_agents__agent_id__connections_post',
  summary: "Connect an agent to one of the caller's accounts",
  ...shared,
  request: { params: AgentPathSchema, body: body(ConnectionCreateRequestSchema) },
  responses: { 201: json(ConnectionSchema, 'The connection.'), ...refusals(401, 404, 422) },
})

const remove = createRoute({
  method: 'delete',
  path: '/v2/auth/agents/{agent_id}/connections/{connection_id}',
  operationId: 'remove_connection_v2_auth_agents__agent_id__connections__connection_id__delete',
  summary: 'End a connection; the token stays',
  ...shared,
  request: { params: ConnectionPathSchema },
  responses: { 204: { description: 'It is gone.' }, ...refusals(401, 404, 422) },
})

export function connectionRoutes(parts: OAuthParts): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
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
