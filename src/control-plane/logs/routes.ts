/** Build and deploy logs: in the form of the CLIs (`/v1/projects`) and in those of `/v2`. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import {
  type ControlPlaneEnv,
  json,
  optionalBody,
  refusals,
  SECURITY,
} from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { RevisionPathSchema } from '../revisions/schemas.ts'
import {
  DeploymentLogsQuerySchema,
  DeploymentLogsSchema,
  LogsRequestSchema,
  LogsSchema,
  logFilter,
  ProjectPathSchema,
  ProjectRevisionPathSchema,
  RevisionLogsQuerySchema,
} from './schemas.ts'
import { readDeploymentLogs, readRevisionLogs } from './verbs.ts'

const security = SECURITY
const v1 = { tags: ['Projects (v1)'], security }
const v2 = { tags: ['Deployments (v2)'], security }
const logs = { 200: json(LogsSchema, 'A page of the log.'), ...refusals(401, 403, 404, 413, 422) }

/** A project's id is its deployment's. Grows while the build runs. */
const buildLogs = createRoute({
  method: 'post',
  path: '/v1/projects/{project_id}/revisions/{revision_id}/build_logs',
  operationId: 'get_build_logs_v1_projects__project_id__revisions__revision_id__build_logs_post',
  summary: "Read a revision's build log",
  ...v1,
  request: { params: ProjectRevisionPathSchema, body: optionalBody(LogsRequestSchema) },
  responses: logs,
})

const revisionDeployLogs = createRoute({
  method: 'post',
  path: '/v1/projects/{project_id}/revisions/{revision_id}/deploy_logs',
  operationId:
    'get_revision_deploy_logs_v1_projects__project_id__revisions__revision_id__deploy_logs_post',
  summary: "Read what a revision's agent servers print",
  ...v1,
  request: { params: ProjectRevisionPathSchema, body: optionalBody(LogsRequestSchema) },
  responses: logs,
})

/** Of all its revisions, merged by time. */
const deployLogs = createRoute({
  method: 'post',
  path: '/v1/projects/{project_id}/deploy_logs',
  operationId: 'get_deploy_logs_v1_projects__project_id__deploy_logs_post',
  summary: "Read what a deployment's agent servers print",
  ...v1,
  request: { params: ProjectPathSchema, body: optionalBody(LogsRequestSchema) },
  responses: logs,
})

const revisionLogs = createRoute({
  method: 'get',
  path: '/v2/deployments/{deployment_id}/revisions/{revision_id}/logs',
  operationId: 'list_revision_logs_v2_deployments__deployment_id__revisions__revision_id__logs_get',
  summary: "List a revision's logs",
  ...v2,
  request: { params: RevisionPathSchema, query: RevisionLogsQuerySchema },
  responses: { 200: json(LogsSchema, 'A page of the log.'), ...refusals(401, 403, 404, 422) },
})

const deploymentLogs = createRoute({
  method: 'get',
  path: '/v2/deployment-logs',
  operationId: 'list_deployment_log_entries_v2_deployment_logs_get',
  summary: "List a deployment's log entries",
  ...v2,
  request: { query: DeploymentLogsQuerySchema },
  responses: {
    200: json(DeploymentLogsSchema, 'A page of the log.'),
    ...refusals(401, 403, 404, 422),
  },
})

export function logRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'logs' | 'buildFollowers'>,
): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  routes.openapi(buildLogs, async (c) => {
    const { project_id: deployment_id, revision_id } = c.req.valid('param')
    const path = { deployment_id, revision_id, kind: 'build' } as const
    const filter = filterOf(c.req.valid('json'))
    return c.json(await readRevisionLogs(parts, c.var.principal, path, filter), 200)
  })
  routes.openapi(revisionDeployLogs, async (c) => {
    const { project_id: deployment_id, revision_id } = c.req.valid('param')
    const path = { deployment_id, revision_id, kind: 'deploy' } as const
    const filter = filterOf(c.req.valid('json'))
    return c.json(await readRevisionLogs(parts, c.var.principal, path, filter), 200)
  })
  routes.openapi(deployLogs, async (c) => {
    const { project_id: deployment_id } = c.req.valid('param')
    const path = { deployment_id, kind: 'deploy' } as const
    const filter = filterOf(c.req.valid('json'))
    return c.json(await readDeploymentLogs(parts, c.var.principal, path, filter), 200)
  })
  routes.openapi(revisionLogs, async (c) => {
    const { type: kind, ...asked } = c.req.valid('query')
    const path = { ...c.req.valid('param'), kind }
    return c.json(await readRevisionLogs(parts, c.var.principal, path, filterOf(asked)), 200)
  })
  routes.openapi(deploymentLogs, async (c) => {
    const asked = c.req.valid('query')
    const { deployment_id, revision_id, sort_order: order, page_size: limit } = asked
    const kind = asked.log_type === 'BUILD' ? 'build' : 'deploy'
    const filter = logFilter(asked, { order, limit, after: asked.cursor })
    const found = revision_id
      ? await readRevisionLogs(parts, c.var.principal, { deployment_id, revision_id, kind }, filter)
      : await readDeploymentLogs(parts, c.var.principal, { deployment_id, kind }, filter)
    return c.json({ items: found.logs, next_cursor: found.next_offset }, 200)
  })
  return routes
}

type Asked = Parameters<typeof logFilter>[0] &
  Omit<Parameters<typeof logFilter>[1], 'after'> & { offset?: string | null | undefined }

function filterOf(asked: Asked) {
  return logFilter(asked, { ...asked, after: asked.offset })
}
