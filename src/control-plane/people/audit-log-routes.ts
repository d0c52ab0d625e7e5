/** `/v2/audit-log` */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import { type ControlPlaneEnv, json, refusals, SECURITY } from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { exportAuditLog, readAuditLog } from './audit-log.ts'
import {
  AuditEntriesListSchema,
  AuditExportQuerySchema,
  AuditLogQuerySchema,
} from './audit-log-schemas.ts'

const common = { tags: ['Audit Log (v2)'], security: SECURITY }

/** Newest first. */
const list = createRoute({
  method: 'get',
  path: '/v2/audit-log',
  operationId: 'list_audit_entries_v2_audit_log_get',
  summary: 'Search the audit log',
  ...common,
  request: { query: AuditLogQuerySchema },
  responses: {
    200: json(AuditEntriesListSchema, 'A page of entries.'),
    ...refusals(401, 403, 422),
  },
})

/** All that the filter finds, newest first: one JSON object a line, or CSV with a header. */
const exportAll = createRoute({
  method: 'get',
  path: '/v2/audit-log/export',
  operationId: 'export_audit_log_v2_audit_log_export_get',
  summary: 'Export the audit log',
  ...common,
  request: { query: AuditExportQuerySchema },
  responses: {
    200: {
      description: 'The entries.',
      content: {
        'application/jsonl': { schema: z.string() },
        'text/csv': { schema: z.string() },
      },
    },
    ...refusals(401, 403, 422),
  },
})

const CONTENT_TYPES = { jsonl: 'application/jsonl', csv: 'text/csv; charset=utf-8' }

export function auditLogRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'clock'>,
): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
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
