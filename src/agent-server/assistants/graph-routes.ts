/** The operations that describe an assistant's graph. */
import { createRoute } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import { AssistantPathSchema, SubgraphPathSchema } from '../operations/ids.ts'
import { refusals } from '../operations/refusals.ts'
import type { Parts } from '../parts.ts'
import { drawAssistant, getAssistantSchemas, getSubgraphs } from './graph.ts'
import {
  DrawingQuerySchema,
  DrawingSchema,
  GraphSchemaSchema,
  SubgraphsQuerySchema,
  SubgraphsSchema,
} from './graph-schemas.ts'

const tags = ['Assistants']

const draw = createRoute({
  method: 'get',
  path: '/assistants/{assistant_id}/graph',
  operationId: 'get_assistant_graph_assistants__assistant_id__graph_get',
  tags,
  summary: 'The nodes and edges of the graph',
  request: { params: AssistantPathSchema, query: DrawingQuerySchema },
  responses: {
    200: { description: 'Drawing', content: { 'application/json': { schema: DrawingSchema } } },
    ...refusals(404, 422),
  },
})

const schemas = createRoute({
  method: 'get',
  path: '/assistants/{assistant_id}/schemas',
  operationId: 'get_assistant_schemas_assistants__assistant_id__schemas_get',
  tags,
  summary: 'What the graph takes, keeps and gives, as JSON Schema',
  request: { params: AssistantPathSchema },
  responses: {
    200: { description: 'Schemas', content: { 'application/json': { schema: GraphSchemaSchema } } },
    ...refusals(404, 422),
  },
})

const found = {
  description: 'By the way to them: `node`, or `node|node` for a subgraph of a subgraph',
  content: { 'application/json': { schema: SubgraphsSchema } },
}

const subgraphs = createRoute({
  method: 'get',
  path: '/assistants/{assistant_id}/subgraphs',
  operationId: 'get_assistant_subgraphs_assistants__assistant_id__subgraphs_get',
  tags,
  summary: 'The subgraphs of the graph; with `recurse` theirs too',
  request: { params: AssistantPathSchema, query: SubgraphsQuerySchema },
  responses: { 200: found, ...refusals(404, 422) },
})

const subgraph = createRoute({
  method: 'get',
  path: '/assistants/{assistant_id}/subgraphs/{namespace}',
  operationId: 'get_assistant_subgraphs_assistants__assistant_id__subgraphs__namespace__get',
  tags,
  summary: 'One subgraph, at any depth; an empty object where there is none',
  request: { params: SubgraphPathSchema, query: SubgraphsQuerySchema },
  responses: { 200: found, ...refusals(404, 422) },
})

export function assistantGraphRoutes(parts: Pick<Parts, 'store' | 'host' | 'authorize' | 'log'>) {
  const routes = createRoutes<AgentServerEnv>()
  routes.openapi(draw, async (c) => {
    const { assistant_id } = c.req.valid('param')
    const { xray } = c.req.valid('query')
    return c.json(await drawAssistant(parts, c.var.caller, assistant_id, xray), 200)
  })
  routes.openapi(schemas, async (c) => {
    const { assistant_id } = c.req.valid('param')
    return c.json(await getAssistantSchemas(parts, c.var.caller, assistant_id), 200)
  })
  routes.openapi(subgraphs, async (c) => {
    const { assistant_id } = c.req.valid('param')
    const options = c.req.valid('query')
    return c.json(await getSubgraphs(parts, c.var.caller, assistant_id, options), 200)
  })
  routes.openapi(subgraph, async (c) => {
    const { assistant_id, namespace } = c.req.valid('param')
    const options = { ...c.req.valid('query'), namespace }
    return c.json(await getSubgraphs(parts, c.var.caller, assistant_id, options), 200)
  })
  return routes
}
