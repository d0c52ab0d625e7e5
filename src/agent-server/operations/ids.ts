/** Ids in paths and bodies. */
import { z } from '@hono/zod-openapi'

const UUID_PATTERN = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'

/** A UUID of any version, converted to lower case. */
export const UuidSchema = z
  .guid('Expected a UUID.')
  .transform((id) => id.toLowerCase())
  .openapi({ type: 'string', format: 'uuid', pattern: UUID_PATTERN })

/** An assistant's id, or a graph's name. */
export const AssistantIdSchema = z.string().min(1).max(256)

export const ThreadPathSchema = z.object({ thread_id: UuidSchema })
export const RunPathSchema = z.object({ thread_id: UuidSchema, run_id: UuidSchema })

export const AssistantPathSchema = z.object({ assistant_id: AssistantIdSchema })
export const SubgraphPathSchema = AssistantPathSchema.extend({ namespace: z.string().min(1) })
