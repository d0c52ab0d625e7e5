/** Assistants on the wire. */

import { z } from '@hono/zod-openapi'
import { ASSISTANT_SORT_FIELDS, UNTITLED } from '../../core/agent/assistant.ts'
import type { JsonObject } from '../../core/json.ts'
import { given } from '../operations/given.ts'
import { UuidSchema } from '../operations/ids.ts'
import { JsonObjectSchema, JsonValueSchema, optional } from '../operations/json.ts'
import { pageFields, sortFields } from '../operations/pagination.ts'
import { FlagSchema } from '../operations/query.ts'

/** A graph's config, passed beside its input. */
export const ConfigSchema = z
  .looseObject({
    tags: optional(z.array(z.string())),
    recursion_limit: optional(z.int().min(1)),
    // With 0, LangGraph would wait for ever for its first task.
    max_concurrency: optional(z.int().min(1)),
    configurable: optional(JsonObjectSchema),
  })
  .openapi('Config')

export const AssistantSchema = z
  .object({
    assistant_id: z.string().openapi({ format: 'uuid' }),
    graph_id: z.string(),
    config: JsonObjectSchema,
    context: JsonValueSchema,
    metadata: JsonObjectSchema,
    name: z.string(),
    description: z.string().nullable(),
    version: z.int().openapi({ description: 'The version in force; the first is 1.' }),
    created_at: z.string().openapi({ format: 'date-time' }),
    updated_at: z.string().openapi({ format: 'date-time' }),
  })
  .openapi('Assistant')

const GraphIdSchema = z.string().min(1).max(256)

/** Checked like a run's config. `null` fields count as absent. */
const AssistantConfigSchema = JsonObjectSchema.transform((config): unknown => config)
  .pipe(ConfigSchema)
  .transform((config) => given(config) as JsonObject)
  .openapi({ type: 'object', additionalProperties: true })

export const AssistantCreateSchema = z
  .object({
    graph_id: GraphIdSchema,
    assistant_id: optional(UuidSchema),
    config: optional(AssistantConfigSchema),
    context: optional(JsonObjectSchema),
    metadata: optional(JsonObjectSchema),
    if_exists: optional(z.enum(['raise', 'do_nothing'])).openapi({ default: 'raise' }),
    name: optional(z.string()).openapi({ default: UNTITLED }),
    description: z.string().nullish(),
  })
  .openapi('AssistantCreate')

export const AssistantPatchSchema = z
  .object({
    graph_id: optional(GraphIdSchema),
    config: optional(AssistantConfigSchema),
    context: optional(JsonObjectSchema),
    metadata: optional(JsonObjectSchema).openapi({
      description: 'Merged into the present value, key by key.',
    }),
    name: optional(z.string()),
    description: z.string().nullish().openapi({ description: '`null` removes it.' }),
  })
  .openapi('AssistantPatch')

const QueryFields = {
  metadata: optional(JsonObjectSchema).openapi({
    description:
      'What the metadata contains: each key with its value, of objects and lists a part.',
  }),
  graph_id: optional(z.string()),
  name: optional(z.string()).openapi({
    description: 'A part of the name; upper and lower case are the same.',
  }),
}

export const AssistantSearchSchema = z
  .object({
    ...QueryFields,
    ...pageFields(10),
    ...sortFields(ASSISTANT_SORT_FIELDS, 'created_at'),
    select: optional(z.array(AssistantSchema.keyof())),
  })
  .openapi('AssistantSearchRequest')

export const AssistantCountSchema = z.object(QueryFields).openapi('AssistantCountRequest')

export const AssistantVersionsSchema = z
  .object({ metadata: optional(JsonObjectSchema), ...pageFields(10) })
  .openapi('AssistantVersionsSearchRequest')

export const VersionBodySchema = z
  .object({ version: optional(z.int().min(1)) })
  .openapi('AssistantVersionChange')

export const VersionQuerySchema = z.object({
  version: z.coerce.number().int().min(1).optional().openapi({ type: 'integer', minimum: 1 }),
})

export const DeleteAssistantQuerySchema = z.object({ delete_threads: FlagSchema })
