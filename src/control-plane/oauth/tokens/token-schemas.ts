/** OAuth tokens on the wire: never the tokens themselves. */
import { z } from '@hono/zod-openapi'
import { TOKEN_EVENT_TYPES } from '../../../core/oauth/token-event.ts'
import { LongLimit, line, Offset, Uuid } from '../../operations/text.ts'

const ProviderId = line(256).min(1)

export const ProviderQuerySchema = z.object({ provider_id: ProviderId })

export const TokensQuerySchema = z.object({
  provider_id: ProviderId.optional(),
  limit: LongLimit,
  offset: Offset,
})

export const PersonPathSchema = z.object({ user_id: line(512).min(1) })

export const TokenPathSchema = z.object({ token_id: Uuid })

export const TokenSummarySchema = z
  .object({
    id: z.uuid(),
    provider_id: z.string(),
    provider_account_label: z.string().nullable(),
    scopes: z.array(z.string()),
    expires_at: z.iso.datetime().nullable(),
    is_default: z.boolean(),
    /** The owner: the caller, or one of its end users. */
    user_id: z.string(),
    status: z.enum(['active', 'expired']),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi('OAuthTokenSummary')

export type TokenSummary = z.infer<typeof TokenSummarySchema>

/** Absent and null members change nothing. */
export const TokenUpdateRequestSchema = z
  .object({ provider_account_label: line(256).nullish(), is_default: z.boolean().nullish() })
  .openapi('OAuthTokenUpdateRequest')

export type TokenUpdateRequest = z.infer<typeof TokenUpdateRequestSchema>

export const TokenStatusSchema = z
  .object({ has_token: z.boolean() })
  .openapi('OAuthTokenStatusResponse')

export const TokensDeletedSchema = z
  .object({ message: z.string(), provider_id: z.string() })
  .openapi('OAuthTokensDeleted')

export const TokenEventsQuerySchema = z.object({
  provider_id: ProviderId.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})

export const TokenEventSchema = z
  .object({
    id: z.uuid(),
    provider_id: z.string(),
    agent_id: z.string().nullable(),
    event_type: z.enum(TOKEN_EVENT_TYPES),
    reason: z.string().nullable(),
    source: z.string().nullable(),
    provider_account_label: z.string().nullable(),
    scopes: z.array(z.string()),
    detail: z.null(),
    acknowledged_at: z.null(),
    created_at: z.iso.datetime(),
  })
  .openapi('OAuthTokenEvent')
