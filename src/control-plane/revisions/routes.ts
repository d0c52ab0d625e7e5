/** `/v2/deployments/{deployment_id}/revisions` */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import { DeploymentPathSchema, DeploymentSchema } from '../deployments/schemas.ts'
import {
  body,
  type ControlPlaneEnv,
  json,
  optionalBody,
  refusals,
  requireBody,
  SECURITY,
} from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { refuseMisplacedResources } from '../sources/misplaced.ts'
import { createRevision } from './create.ts'
import { readHistory } from './history.ts'
import { RevisionHistoryQuerySchema, RevisionHistorySchema } from './history-schemas.ts'
import { interruptRevision } from './interruption.ts'
import { rollBack } from './rollback.ts'
import {
  RevisionCreateRequestSchema,
  RevisionPathSchema,
  RevisionSchema,
  RevisionsListSchema,
  RevisionsQuerySchema,
  RollbackRequestSchema,
} from './schemas.ts'
import { getRevision, listRevisions, redeployRevision } from './verbs.ts'

const tags = ['Deployments (v2)']
const security = SECURITY

/** Newest first. */
const list = createRoute({
  method: 'get',
  path: '/v2/deployments/{deployment_id}/revisions',
  operationId: 'list_revisions_v2_deployments__deployment_id__revisions_get',
  summary: "List a deployment's revisions",
  tags,
  security,
  request: { params: DeploymentPathSchema, query: RevisionsQuerySchema },
  responses: {
    200: json(RevisionsListSchema, 'A page of revisions.'),
    ...refusals(401, 403, 404, 422),
  },
})

/** Newest first, as the list is: an entry for each revision. */
const history = createRoute({
  method: 'get',
  path: '/v2/deployments/{deployment_id}/revision-history',
  operationId: 'read_revision_history_v2_deployments__deployment_id__revision_history_get',
  summary: "Tell who made a deployment's revisions, their steps, and what each changed",
  tags,
  security,
  request: { params: DeploymentPathSchema, query: RevisionHistoryQuerySchema },
  responses: {
    200: json(RevisionHistorySchema, 'A page of the history.'),
    ...refusals(401, 403, 404, 422),
  },
})

/** Makes one in any case; what is left out is as in the one before. */
const create = createRoute({
  method: 'post',
  path: '/v2/deployments/{deployment_id}/revisions',
  operationId: 'create_deployment_revision_v2_deployments__deployment_id__revisions_post',
  summary: 'Create a revision',
  tags,
  security,
  middleware: [requireBody, refuseMisplacedResources] as const,
  request: { params: DeploymentPathSchema, body: body(RevisionCreateRequestSchema) },
  responses: {
    201: json(RevisionSchema, 'The revision.'),
    ...refusals(400, 401, 403, 404, 409, 413, 422),
  },
})

const interruptedAnswers = {
  204: { description: 'It is interrupted; the next in line may begin.' },
  ...refusals(401, 403, 404, 409, 422),
}

/** Ends a revision on its way. */
const interrupt = createRoute({
  method: 'post',
  path: '/v2/deployments/{deployment_id}/revisions/{revision_id}/interrupt',
  operationId:
    'interrupt_revision_v2_deployments__deployment_id__revisions__revision_id__interrupt_post',
  summary: 'Interrupt a revision',
  tags,
  security,
  request: { params: RevisionPathSchema },
  responses: interruptedAnswers,
})

/** The same under the name that the original's own clients use. */
const interruption = createRoute({
  method: 'post',
  path: '/v2/deployments/{deployment_id}/revisions/{revision_id}/interruption',
  operationId:
    'interrupt_revision_v2_deployments__deployment_id__revisions__revision_id__interruption_post',
  summary: 'Interrupt a revision',
  tags,
  security,
  request: { params: RevisionPathSchema },
  responses: interruptedAnswers,
})

const get = createRoute({
  method: 'get',
  path: '/v2/deployments/{deployment_id}/revisions/{revision_id}',
  operationId: 'get_revision_v2_deployments__deployment_id__revisions__revision_id__get',
  summary: 'Get a revision',
  tags,
  security,
  request: { params: RevisionPathSchema },
  responses: { 200: json(RevisionSchema, 'The revision.'), ...refusals(401, 403, 404, 422) },
})

/** Makes a new revision from an older one: the way back. */
const redeploy = createRoute({
  method: 'post',
  path: '/v2/deployments/{deployment_id}/revisions/{revision_id}/redeploy',
  operationId:
    'redeploy_revision_v2_deployments__deployment_id__revisions__revision_id__redeploy_post',
  summary: 'Deploy a revision again',
  tags,
  security,
  request: { params: RevisionPathSchema },
  responses: {
    200: json(DeploymentSchema, 'The deployment with its new revision.'),
    ...refusals(401, 403, 404, 409, 422),
  },
})

/** Goes before whatever is on its way, which is interrupted; takes the build that is kept. */
const rollback = createRoute({
  method: 'post',
  path: '/v2/deployments/{deployment_id}/rollback',
  operationId: 'rollback_deployment_v2_deployments__deployment_id__rollback_post',
  summary: 'Go back to an older revision',
  tags,
  security,
  request: { params: DeploymentPathSchema, body: optionalBody(RollbackRequestSchema) },
  responses: {
    201: json(RevisionSchema, 'The new revision, made from the older one.'),
    ...refusals(401, 403, 404, 409, 413, 422),
  },
})

export function revisionRoutes(parts: ControlPlaneParts): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  routes.openapi(list, async (c) => {
    const { deployment_id } = c.req.valid('param')
    const query = c.req.valid('query')
    return c.json(await listRevisions(parts, c.var.principal, deployment_id, query), 200)
  })
  routes.openapi(history, async (c) => {
    const { deployment_id } = c.req.valid('param')
    const query = c.req.valid('query')
    return c.json(await readHistory(parts, c.var.principal, deployment_id, query), 200)
  })
  routes.openapi(create, async (c) => {
    const { deployment_id } = c.req.valid('param')
    const request = c.req.valid('json')
    return c.json(await createRevision(parts, c.var.principal, deployment_id, request), 201)
  })
  routes.openapi(interrupt, async (c) => {
    const { deployment_id, revision_id } = c.req.valid('param')
    await interruptRevision(parts, c.var.principal, deployment_id, revision_id)
    return c.body(null, 204)
  })
  routes.openapi(interruption, async (c) => {
    const { deployment_id, revision_id } = c.req.valid('param')
    await interruptRevision(parts, c.var.principal, deployment_id, revision_id)
    return c.body(null, 204)
  })
  routes.openapi(get, async (c) => {
    const { deployment_id, revision_id } = c.req.valid('param')
    return c.json(await getRevision(parts, c.var.principal, deployment_id, revision_id), 200)
  })
  routes.openapi(redeploy, async (c) => {
    const { deployment_id, revision_id } = c.req.valid('param')
    return c.json(await redeployRevision(parts, c.var.principal, deployment_id, revision_id), 200)
  })
  routes.openapi(rollback, async (c) => {
    const { deployment_id } = c.req.valid('param')
    const request = c.req.valid('json')
    return c.json(await rollBack(parts, c.var.principal, deployment_id, request), 201)
  })
  return routes
}
