/** API keys on the wire. */
import { z } from '@hono/zod-openapi'
import { ROLES } from '../../core/people/api-key.ts'
import { Limit, line, Moment, nullishOf, Offset, Uuid } from '../operations/text.ts'

const RoleSchema = z.enum(ROLES).openapi('Role')

/** `workspace_id`: only operators may name another than their own. Without an end, the key does not expire. */
export const ApiKeyCreateRequestSchema = z
  .object({
    name: line(256).min(1),
    role: RoleSchema,
    expires_at: nullishOf(Moment),
    workspace_id: Uuid.nullish(),
  })
  .openapi('ApiKeyCreateRequest')

export type ApiKeyCreateRequest = z.infer<typeof ApiKeyCreateRequestSchema>

export const ApiKeySchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    workspace_id: z.uuid(),
    role: RoleSchema,
    hint: z.string().nullable().openapi({ description: 'How the key begins.' }),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
    revoked_at: z.iso.datetime().nullable(),
    last_used_at: z.iso.datetime().nullable().openapi({ description: 'To the minute.' }),
  })
  .openapi('ApiKey')

export type ApiKeyAnswer = z.infer<typeof ApiKeySchema>

export const NewApiKeySchema = ApiKeySchema.extend({
  key: z.string().openapi({ description: 'The key itself. It is not shown again.' }),
}).openapi('NewApiKey')

export type NewApiKeyAnswer = z.infer<typeof NewApiKeySchema>

/** `offset` is the one to ask for next. An empty page is the end. */
export const ApiKeysListSchema = z
  .object({ resources: z.array(ApiKeySchema), offset: z.int() })
  .openapi('ApiKeysList')

export const ApiKeysQuerySchema = z.object({
  limit: Limit,
  offset: Offset,
  workspace_id: Uuid.optional(),
})

export const ApiKeyPathSchema = z.object({ api_key_id: Uuid })
