/** The operations that describe an assistant's graph. */

import { z } from '@hono/zod-openapi'
import type { Parts } from '../agent-server-parts.ts'
import { AssistantPathSchema, SubgraphPathSchema } from '../operations/ids.ts'
import { JsonObjectSchema, JsonValueSchema } from '../operations/json.ts'
import { FlagSchema } from '../operations/query.ts'
import { createRoutes, json, operationsOf } from '../operations/route.ts'
import { drawAssistant, getAssistantSchemas, getSubgraphs } from './assistant-graph.ts'

const isDepth = (value: unknown) => /^(true|false|\d{1,4})$/.test(String(value))

/** `true`, `false`, or a depth. */
const DrawingQuerySchema = z.object({
  xray: z
    .custom<string>(isDepth, 'Expected true, false or a depth.')
    .openapi({ type: ['boolean', 'integer'], minimum: 0, maximum: 9999, default: false })
    .optional()
    .transform((text = 'false') => (/^\d/.test(text) ? Number(text) : text === 'true')),
})

const DrawingSchema = z
  .object({
    nodes: z.array(
      z.object({
        id: z.union([z.string(), z.int()]),
        type: z.string().optional(),
        data: JsonValueSchema.optional(),
      }),
    ),
    edges: z.array(
      z.object({
        source: z.union([z.string(), z.int()]),
        target: z.union([z.string(), z.int()]),
        data: z.string().optional(),
        conditional: z.boolean().optional(),
      }),
    ),
  })
  .openapi('Drawing')

const schema = (what: string) => JsonObjectSchema.optional().openapi({ description: what })

const GraphSchemaFields = {
  state_schema: schema('What the graph keeps, as JSON Schema; missing where nothing is known.'),
  input_schema: schema('What it takes.'),
  output_schema: schema('What it gives.'),
  config_schema: schema('What `configurable` may hold.'),
  context_schema: schema('What the context may hold.'),
}

const GraphSchemaSchema = z
  .object({ graph_id: z.string(), ...GraphSchemaFields })
  .openapi('GraphSchema')

const SubgraphsSchema = z.record(z.string(), GraphSchemaSchema).openapi('Subgraphs')

const SubgraphsQuerySchema = z.object({ recurse: FlagSchema })

const operation = operationsOf('Assistants')

const draw = operation('get', '/assistants/{assistant_id}/graph', {
  name: 'get_assistant_graph',
  summary: 'The nodes and edges of the graph',
  request: { params: AssistantPathSchema, query: DrawingQuerySchema },
  answers: { 200: json(DrawingSchema, 'Drawing') },
  refusals: [404],
})

const schemas = operation('get', '/assistants/{assistant_id}/schemas', {
  name: 'get_assistant_schemas',
  summary: 'What the graph takes, keeps and gives, as JSON Schema',
  request: { params: AssistantPathSchema },
  answers: { 200: json(GraphSchemaSchema, 'Schemas') },
  refusals: [404],
})

const found = json(
  SubgraphsSchema,
  'By the way to them: `node`, or `node|node` for a subgraph of a subgraph',
)

const subgraphs = operation('get', '/assistants/{assistant_id}/subgraphs', {
  name: 'get_assistant_subgraphs',
  summary: 'The subgraphs of the graph; with `recurse` theirs too',
  request: { params: AssistantPathSchema, query: SubgraphsQuerySchema },
  answers: { 200: found },
  refusals: [404],
})

const subgraph = operation('get', '/assistants/{assistant_id}/subgraphs/{namespace}', {
  name: 'get_assistant_subgraphs',
  summary: 'One subgraph, at any depth; an empty object where there is none',
  request: { params: SubgraphPathSchema, query: SubgraphsQuerySchema },
  answers: { 200: found },
  refusals: [404],
})

export function assistantGraphRoutes(parts: Parts) {
  const routes = createRoutes()
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
