/** `/v2/deployments/{deployment_id}/revisions` */

import { AppError } from '../../core/errors.ts'
import type { Principal } from '../../core/people/api-key.ts'
import { answerOf } from '../../http/answer.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { requireDeployment } from '../deployments/access.ts'
import { DeploymentPathSchema, DeploymentSchema } from '../deployments/deployment-schemas.ts'
import { applyPatch } from '../deployments/patch.ts'
import { checkSecrets, refuseSecretReferences } from '../deployments/secret-rules.ts'
import {
  body,
  createRoutes,
  json,
  operationsOf,
  optionalBody,
  type Routes,
  requireBody,
} from '../operations/route.ts'
import { record } from '../people/audit.ts'
import { refuseMisplacedResources } from '../sources/misplaced.ts'
import { RevisionComparisonSchema } from './changes-schemas.ts'
import { compareRevision } from './comparison.ts'
import { readHistory } from './history.ts'
import { RevisionHistoryQuerySchema, RevisionHistorySchema } from './history-schemas.ts'
import {
  type RevisionAnswer,
  type RevisionCreateRequest,
  RevisionCreateRequestSchema,
  RevisionPathSchema,
  RevisionSchema,
  RevisionsListSchema,
  RevisionsQuerySchema,
  RollbackRequestSchema,
} from './revision-schemas.ts'
import { getRevision, interruptRevision, listRevisions, redeployRevision } from './revisions.ts'
import { rollBack } from './rollback.ts'

const operation = operationsOf('Deployments (v2)')

/** Newest first. */
const list = operation('get', '/v2/deployments/{deployment_id}/revisions', {
  name: 'list_revisions',
  summary: "List a deployment's revisions",
  request: { params: DeploymentPathSchema, query: RevisionsQuerySchema },
  answers: { 200: json(RevisionsListSchema, 'A page of revisions.') },
  refusals: [404],
})

/** Newest first, like the list: an entry for each revision. */
const history = operation('get', '/v2/deployments/{deployment_id}/revision-history', {
  name: 'read_revision_history',
  summary: "List a deployment's revisions with their author, steps and changes",
  request: { params: DeploymentPathSchema, query: RevisionHistoryQuerySchema },
  answers: { 200: json(RevisionHistorySchema, 'A page of the history.') },
  refusals: [404],
})

/** Makes a revision in any case; absent members are as in the one before. */
const create = operation('post', '/v2/deployments/{deployment_id}/revisions', {
  name: 'create_deployment_revision',
  summary: 'Create a revision',
  request: { params: DeploymentPathSchema, body: body(RevisionCreateRequestSchema) },
  middleware: [requireBody, refuseMisplacedResources],
  answers: { 201: json(RevisionSchema, 'The revision.') },
  refusals: [400, 404, 409, 413],
})

const interrupted = { 204: { description: 'It is interrupted; the next in line may begin.' } }

/** Ends a revision on its way. */
const interrupt = operation(
  'post',
  '/v2/deployments/{deployment_id}/revisions/{revision_id}/interrupt',
  {
    name: 'interrupt_revision',
    summary: 'Interrupt a revision',
    request: { params: RevisionPathSchema },
    answers: interrupted,
    refusals: [404, 409],
  },
)

/** The same under the name that LangGraph Platform's own clients use. */
const interruption = operation(
  'post',
  '/v2/deployments/{deployment_id}/revisions/{revision_id}/interruption',
  {
    name: 'interrupt_revision',
    summary: 'Interrupt a revision',
    request: { params: RevisionPathSchema },
    answers: interrupted,
    refusals: [404, 409],
  },
)

const get = operation('get', '/v2/deployments/{deployment_id}/revisions/{revision_id}', {
  name: 'get_revision',
  summary: 'Get a revision',
  request: { params: RevisionPathSchema },
  answers: { 200: json(RevisionSchema, 'The revision.') },
  refusals: [404],
})

/** Only callers who may deploy get lines of the source; of secrets it has the names. */
const changes = operation(
  'get',
  '/v2/deployments/{deployment_id}/revisions/{revision_id}/changes',
  {
    name: 'read_revision_changes',
    summary: 'Compare a revision with the last one that served before it',
    request: { params: RevisionPathSchema },
    answers: { 200: json(RevisionComparisonSchema, 'What it changed.') },
    refusals: [404],
  },
)

/** Makes a new revision from an older one: the way back. */
const redeploy = operation(
  'post',
  '/v2/deployments/{deployment_id}/revisions/{revision_id}/redeploy',
  {
    name: 'redeploy_revision',
    summary: 'Deploy a revision again',
    request: { params: RevisionPathSchema },
    answers: { 200: json(DeploymentSchema, 'The deployment with its new revision.') },
    refusals: [404, 409],
  },
)

/** Interrupts revisions on their way, and reuses the kept build. */
const rollback = operation('post', '/v2/deployments/{deployment_id}/rollback', {
  name: 'rollback_deployment',
  summary: 'Go back to an older revision',
  request: { params: DeploymentPathSchema, body: optionalBody(RollbackRequestSchema) },
  answers: { 201: json(RevisionSchema, 'The new revision, made from the older one.') },
  refusals: [404, 409, 413],
})

export function revisionRoutes(parts: ControlPlaneParts): Routes {
  const routes = createRoutes()
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
  routes.openapi(changes, async (c) => {
    const { deployment_id, revision_id } = c.req.valid('param')
    return c.json(await compareRevision(parts, c.var.principal, deployment_id, revision_id), 200)
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

// Makes a revision on request, whether or not something changes.

/**
 * Changes the deployment as a PATCH would, and makes a revision in any case. Absent members are as in
 * the revision before. Throws `not_found`, `forbidden`, `bad_request` for a member that may not change or
 * does not fit the source, `conflict` while the deployment is being deleted.
 */
async function createRevision(
  parts: Pick<
    ControlPlaneParts,
    'store' | 'artifacts' | 'checkResources' | 'registry' | 'whenTended' | 'clock'
  >,
  principal: Principal,
  deployment_id: string,
  request: RevisionCreateRequest,
): Promise<RevisionAnswer> {
  refuseSecretReferences(request.secret_references)
  checkSecrets(request.secrets ?? [])
  const latest = await parts.store.transaction(async (store) => {
    const deployment = await requireDeployment(store, principal, deployment_id)
    const { message } = request
    const wish = { principal, made_for: 'change', message } as const
    const { latest: made } = await applyPatch(parts, store, deployment, request, wish, true)
    if (!made) throw new AppError('internal', 'The revision was not made.')
    await record(store, parts.clock, principal, {
      action: 'revision.create',
      target_id: made.id,
      target_name: deployment.name,
      detail: { deployment_id, number: made.number, fields: Object.keys(request) },
    })
    return made
  })
  await parts.whenTended(deployment_id)
  return answerOf(RevisionSchema, latest)
}
