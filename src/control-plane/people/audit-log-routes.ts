/** `/v2/audit-log` */
import { z } from '@hono/zod-openapi'
import { createRoutes, json, operationsOf, type Routes } from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { exportAuditLog, readAuditLog } from './audit-log.ts'
import {
  AuditEntriesListSchema,
  AuditExportQuerySchema,
  AuditLogQuerySchema,
} from './audit-log-schemas.ts'

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

export function auditLogRoutes(parts: Pick<ControlPlaneParts, 'store' | 'clock'>): Routes {
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
