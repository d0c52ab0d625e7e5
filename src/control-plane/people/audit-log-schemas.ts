/** The audit log on the wire. */
import { z } from '@hono/zod-openapi'
import { PRINCIPAL_KINDS } from '../../core/people/api-key.ts'
import { AUDIT_ACTIONS } from '../../core/people/audit.ts'
import { line, Moment } from '../operations/text.ts'

export const AuditEntrySchema = z
  .object({
    id: z.uuid(),
    created_at: z.iso.datetime(),
    workspace_id: z.uuid(),
    actor_kind: z.enum(PRINCIPAL_KINDS),
    actor_id: z.string(),
    actor_name: z.string(),
    action: z.enum(AUDIT_ACTIONS),
    target_id: z.string(),
    target_name: z.string().nullable(),
    detail: z.record(z.string(), z.unknown()),
  })
  .openapi('AuditEntry')

export type AuditEntryAnswer = z.infer<typeof AuditEntrySchema>

/** `next_cursor` is the `cursor` of the next page; null when there is nothing more. */
export const AuditEntriesListSchema = z
  .object({ items: z.array(AuditEntrySchema), next_cursor: z.string().nullable() })
  .openapi('AuditEntriesList')

const Cursor = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'Expected the next_cursor of a page')
  .transform(Number)
  .openapi({ type: 'string', pattern: '^[1-9][0-9]{0,14}$' })

/** `action`: `deployment.create`, or `deployment` for all of them. `text`: a part of a name, id or action. */
const Filter = z.object({
  actor_id: line(512).optional(),
  action: line(64).optional(),
  target_id: line(256).optional(),
  since: Moment.optional(),
  until: Moment.optional(),
  text: line(256).optional(),
})

export type AuditQuery = z.infer<typeof Filter>

export const AuditLogQuerySchema = Filter.extend({
  limit: z.coerce.number().int().min(1).max(500).default(100),
  cursor: Cursor.optional(),
})

export const AuditExportQuerySchema = Filter.extend({
  format: z.enum(['jsonl', 'csv']).default('jsonl'),
})
