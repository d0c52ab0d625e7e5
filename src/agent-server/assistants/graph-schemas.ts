/** Descriptions of graphs on the wire. */
import { z } from '@hono/zod-openapi'
import { JsonObjectSchema, JsonValueSchema } from '../operations/json.ts'
import { FlagSchema } from '../operations/query.ts'

const isDepth = (value: unknown) => /^(true|false|\d{1,4})$/.test(String(value))

/** `true`, `false`, or a depth. */
export const DrawingQuerySchema = z.object({
  xray: z
    .custom<string>(isDepth, 'Expected true, false or a depth.')
    .openapi({ type: ['boolean', 'integer'], minimum: 0, maximum: 9999, default: false })
    .optional()
    .transform((text = 'false') => (/^\d/.test(text) ? Number(text) : text === 'true')),
})

export const DrawingSchema = z
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

export const GraphSchemaSchema = z
  .object({ graph_id: z.string(), ...GraphSchemaFields })
  .openapi('GraphSchema')

export const SubgraphsSchema = z.record(z.string(), GraphSchemaSchema).openapi('Subgraphs')

export const SubgraphsQuerySchema = z.object({ recurse: FlagSchema })
