/** `/v2/audit-log` */
import { z } from '@hono/zod-openapi'
import { PRINCIPAL_KINDS, type Principal } from '../../core/people/api-key.ts'
import { AUDIT_ACTIONS, type AuditEntry } from '../../core/people/audit.ts'
import { answerOf } from '../../http/answer.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { createRoutes, json, operationsOf, type Routes } from '../operations/route.ts'
import { line, Moment } from '../operations/text.ts'
import { record } from './audit.ts'

type Parts = Pick<ControlPlaneParts, 'store' | 'clock'>

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

type AuditEntryAnswer = z.infer<typeof AuditEntrySchema>

/** `next_cursor` is the `cursor` of the next page; null when there is nothing more. */
const AuditEntriesListSchema = z
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

type AuditQuery = z.infer<typeof Filter>

const AuditLogQuerySchema = Filter.extend({
  limit: z.coerce.number().int().min(1).max(500).default(100),
  cursor: Cursor.optional(),
})

const AuditExportQuerySchema = Filter.extend({
  format: z.enum(['jsonl', 'csv']).default('jsonl'),
})

const operation = operationsOf('Audit Log (v2)')

/** Newest first. */
const list = operation('get', '/v2/audit-log', {
  name: 'list_audit_entries',
  summary: 'Search the audit log',
  request: { query: AuditLogQuerySchema },
  answers: { 200: json(AuditEntriesListSchema, 'A page of entries.') },
})

/** All entries that match the filter, newest first: one JSON object a line, or CSV with a header. */
const exportAll = operation('get', '/v2/audit-log/export', {
  name: 'export_audit_log',
  summary: 'Export the audit log',
  request: { query: AuditExportQuerySchema },
  answers: {
    200: {
      description: 'The entries.',
      content: {
        'application/jsonl': { schema: z.string() },
        'text/csv': { schema: z.string() },
      },
    },
  },
})

const CONTENT_TYPES = { jsonl: 'application/jsonl', csv: 'text/csv; charset=utf-8' }

export function auditLogRoutes(parts: Parts): Routes {
  const routes = createRoutes()
  routes.openapi(list, async (c) =>
    c.json(await readAuditLog(parts, c.var.principal, c.req.valid('query')), 200),
  )
  routes.openapi(exportAll, async (c) => {
    const query = c.req.valid('query')
    const text = await exportAuditLog(parts, c.var.principal, query)
    return c.body(text, 200, {
      'content-type': CONTENT_TYPES[query.format],
      'content-disposition': `attachment; filename="audit-log.${query.format}"`,
    })
  })
  return routes
}

// Reads the audit log.

/** How many entries an export reads at once. */
const EXPORT_PAGE = 500

/** The workspace's entries, newest first. */
async function readAuditLog(
  { store }: Pick<Parts, 'store'>,
  { workspace_id }: Principal,
  { limit, cursor, ...filter }: AuditQuery & { limit: number; cursor?: number | undefined },
): Promise<{ items: AuditEntryAnswer[]; next_cursor: string | null }> {
  const page = { limit, before: cursor }
  const { entries, next } = await store.auditLog.list({ ...filter, workspace_id }, page)
  const items = entries.map((entry) => answerOf(AuditEntrySchema, entry))
  return { items, next_cursor: next === undefined ? null : String(next) }
}

/**
 * The same as one text, read while it is sent. The export is an entry too, written before the first line
 * is read.
 */
async function exportAuditLog(
  { store, clock }: Parts,
  principal: Principal,
  { format, ...filter }: AuditQuery & { format: 'jsonl' | 'csv' },
): Promise<ReadableStream<Uint8Array>> {
  const { workspace_id } = principal
  const detail = { format }
  await record(store, clock, principal, {
    action: 'audit_log.export',
    target_id: workspace_id,
    detail,
  })
  async function* lines(): AsyncGenerator<string> {
    if (format === 'csv') yield csvHeader()
    let before: number | undefined
    do {
      const page = await store.auditLog.list(
        { ...filter, workspace_id },
        { limit: EXPORT_PAGE, before },
      )
      yield page.entries.map(format === 'csv' ? csvRow : jsonLine).join('')
      before = page.next
    } while (before !== undefined)
  }
  return ReadableStream.from(lines()).pipeThrough(new TextEncoderStream())
}

function jsonLine(entry: AuditEntry): string {
  return `${JSON.stringify(answerOf(AuditEntrySchema, entry))}\n`
}

/** The columns of an export as CSV (RFC 4180), for spreadsheets. */
const COLUMNS = [
  'created_at',
  'actor_kind',
  'actor_id',
  'actor_name',
  'action',
  'target_id',
  'target_name',
  'detail',
  'workspace_id',
  'id',
] as const satisfies (keyof AuditEntry)[]

function csvHeader(): string {
  return `${COLUMNS.join(',')}\r\n`
}

function csvRow(entry: AuditEntry): string {
  return `${COLUMNS.map((column) => cell(entry[column])).join(',')}\r\n`
}

/** Adds an apostrophe in front of text that a spreadsheet would take for a formula. */
function cell(value: AuditEntry[(typeof COLUMNS)[number]]): string {
  const text = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
