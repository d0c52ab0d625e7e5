/** Build and deploy logs: in the form of the CLIs (`/v1/projects`) and in those of `/v2`. */

import { allRevisions } from '../../core/deployment/deployment.ts'
import type { Revision, RevisionStatus } from '../../core/deployment/revision.ts'
import type { LogEntry, LogKind, LogSource } from '../../core/deployment/revision-log.ts'
import type { Principal } from '../../core/people/api-key.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { requireDeployment, requireRevision } from '../deployments/access.ts'
import { createRoutes, json, operationsOf, optionalBody, type Routes } from '../operations/route.ts'
import { RevisionPathSchema } from '../revisions/revision-schemas.ts'
import { maskOf } from '../rollout/failure.ts'
import {
  DeploymentLogsQuerySchema,
  DeploymentLogsSchema,
  type LogFilter,
  LogsRequestSchema,
  LogsSchema,
  logFilter,
  ProjectPathSchema,
  ProjectRevisionPathSchema,
  RevisionLogsQuerySchema,
} from './log-schemas.ts'

type Parts = Pick<ControlPlaneParts, 'store' | 'logs' | 'buildFollowers'>

const v1 = operationsOf('Projects (v1)')
const v2 = operationsOf('Deployments (v2)')
const logs = { 200: json(LogsSchema, 'A page of the log.') }

/** A project's id is its deployment's. Grows while the build runs. */
const buildLogs = v1('post', '/v1/projects/{project_id}/revisions/{revision_id}/build_logs', {
  name: 'get_build_logs',
  summary: "Read a revision's build log",
  request: { params: ProjectRevisionPathSchema, body: optionalBody(LogsRequestSchema) },
  answers: logs,
  refusals: [404, 413],
})

const revisionDeployLogs = v1(
  'post',
  '/v1/projects/{project_id}/revisions/{revision_id}/deploy_logs',
  {
    name: 'get_revision_deploy_logs',
    summary: "Read what a revision's agent servers print",
    request: { params: ProjectRevisionPathSchema, body: optionalBody(LogsRequestSchema) },
    answers: logs,
    refusals: [404, 413],
  },
)

/** Of all its revisions, merged by time. */
const deployLogs = v1('post', '/v1/projects/{project_id}/deploy_logs', {
  name: 'get_deploy_logs',
  summary: "Read what a deployment's agent servers print",
  request: { params: ProjectPathSchema, body: optionalBody(LogsRequestSchema) },
  answers: logs,
  refusals: [404, 413],
})

const revisionLogs = v2('get', '/v2/deployments/{deployment_id}/revisions/{revision_id}/logs', {
  name: 'list_revision_logs',
  summary: "List a revision's logs",
  request: { params: RevisionPathSchema, query: RevisionLogsQuerySchema },
  answers: logs,
  refusals: [404],
})

const deploymentLogs = v2('get', '/v2/deployment-logs', {
  name: 'list_deployment_log_entries',
  summary: "List a deployment's log entries",
  request: { query: DeploymentLogsQuerySchema },
  answers: { 200: json(DeploymentLogsSchema, 'A page of the log.') },
  refusals: [404],
})

export function logRoutes(parts: Parts): Routes {
  const routes = createRoutes()
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
    const filter = logFilter({ ...asked, order, limit, after: asked.cursor })
    const found = revision_id
      ? await readRevisionLogs(parts, c.var.principal, { deployment_id, revision_id, kind }, filter)
      : await readDeploymentLogs(parts, c.var.principal, { deployment_id, kind }, filter)
    return c.json({ items: found.logs, next_cursor: found.next_offset }, 200)
  })
  return routes
}

function filterOf(asked: Parameters<typeof logFilter>[0] & { offset?: string | null | undefined }) {
  return logFilter({ ...asked, after: asked.offset })
}

/** The statuses in which a revision's log may still grow. */
const UNBUILT: readonly RevisionStatus[] = ['CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING']

interface LogsPage {
  logs: LogEntry[]
  /** Where the next page begins; `null` at the end. */
  next_offset: string | null
}

/**
 * One revision's log, without the values of its secrets. A build log, read from the oldest line on, ends
 * when the build does: until then `next_offset` is never null after the first line. Throws `not_found`.
 */
async function readRevisionLogs(
  parts: Parts,
  principal: Principal,
  path: { deployment_id: string; revision_id: string; kind: LogKind },
  filter: LogFilter,
): Promise<LogsPage> {
  const { deployment_id, revision_id, kind } = path
  await requireDeployment(parts.store, principal, deployment_id)
  const revision = await requireRevision(parts.store, deployment_id, revision_id)
  const page = await parts.logs.read({ kind, sources: [sourceOf(revision)], ...filter })
  const answer = { logs: page.entries, next_offset: page.next }
  if (kind === 'deploy' || filter.order === 'desc') return answer
  const isOver = !UNBUILT.includes(revision.status)
  parts.buildFollowers.note(principal, revision_id, isOver && page.next === null)
  if (isOver || page.next !== null) return answer
  return { ...answer, next_offset: page.entries.at(-1)?.id ?? filter.after ?? null }
}

/** The logs of all the deployment's revisions, merged by time. Throws `not_found`. */
async function readDeploymentLogs(
  parts: Parts,
  principal: Principal,
  path: { deployment_id: string; kind: LogKind },
  filter: LogFilter,
): Promise<LogsPage> {
  const { deployment_id, kind } = path
  await requireDeployment(parts.store, principal, deployment_id)
  const sources = (await allRevisions(parts.store, deployment_id)).map(sourceOf)
  const { entries, next } = await parts.logs.read({ kind, sources, ...filter })
  return { logs: entries, next_offset: next }
}

function sourceOf({ id, created_at, secrets }: Revision): LogSource {
  return { revision_id: id, sinceMs: Date.parse(created_at), mask: maskOf(secrets) }
}
