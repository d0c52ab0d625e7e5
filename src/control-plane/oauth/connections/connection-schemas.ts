/** Connections of agents on the wire. */
import { z } from '@hono/zod-openapi'
import { LongLimit, line, Offset, Uuid } from '../../operations/text.ts'

const AgentId = line(256).min(1)

export const AgentPathSchema = z.object({ agent_id: AgentId })

export const ConnectionsQuerySchema = z.object({ limit: LongLimit, offset: Offset })

export const ConnectionPathSchema = z.object({ agent_id: AgentId, connection_id: Uuid })

export const ConnectionCreateRequestSchema = z
  .object({ oauth_token_id: Uuid })
  .openapi('CreateAgentConnectionRequest')

export const ConnectionSchema = z
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

export type ConnectionAnswer = z.infer<typeof ConnectionSchema>

export const ConnectionListSchema = z
  .object({ data: z.array(ConnectionSchema) })
  .openapi('AgentConnectionListResponse')
