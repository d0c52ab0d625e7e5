/** `/v2/deployments` */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import {
  body,
  type ControlPlaneEnv,
  json,
  refusals,
  requireBody,
  SECURITY,
} from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { refuseMisplacedResources } from '../sources/misplaced.ts'
import { rotateAgentKey } from './agent-key.ts'
import { deleteDeployment, deleteDeployments } from './delete.ts'
import { patchDeployment } from './patch.ts'
import { RuntimeSchema } from './runtime-schema.ts'
import { getRuntime } from './runtime-state.ts'
import {
  BulkDeletionSchema,
  DeploymentCreateRequestSchema,
  DeploymentDeleteQuerySchema,
  DeploymentPatchRequestSchema,
  DeploymentPathSchema,
  DeploymentSchema,
  DeploymentsDeleteQuerySchema,
  DeploymentsListSchema,
  DeploymentsQuerySchema,
  FreeCountSchema,
} from './schemas.ts'
import { countFreeDeployments, createDeployment, getDeployment, listDeployments } from './verbs.ts'

const tags = ['Deployments (v2)']
const security = SECURITY

/** A page of the workspace's deployments. */
const list = createRoute({
  method: 'get',
  path: '/v2/deployments',
  operationId: 'list_deployments_v2_deployments_get',
  summary: 'List deployments',
  tags,
  security,
  request: { query: DeploymentsQuerySchema },
  responses: {
    200: json(DeploymentsListSchema, 'A page of deployments.'),
    ...refusals(401, 403, 422),
  },
})

/** Answers before anything is built: poll the latest revision. */
const create = createRoute({
  method: 'post',
  path: '/v2/deployments',
  operationId: 'create_deployment_v2_deployments_post',
  summary: 'Create a deployment',
  tags,
  security,
  middleware: refuseMisplacedResources,
  request: { body: body(DeploymentCreateRequestSchema) },
  responses: {
    201: json(DeploymentSchema, 'The deployment, with its first revision for source github.'),
    ...refusals(400, 401, 403, 409, 413, 422),
  },
})

/** Deletes each by itself: one that cannot be deleted does not stop the others. */
const removeSeveral = createRoute({
  method: 'delete',
  path: '/v2/deployments',
  operationId: 'delete_deployments_v2_deployments_delete',
  summary: 'Delete several deployments',
  tags,
  security,
  request: { query: DeploymentsDeleteQuerySchema },
  responses: {
    200: json(BulkDeletionSchema, 'All of them are being deleted.'),
    207: json(BulkDeletionSchema, 'Some of them are being deleted.'),
    ...refusals(401, 403, 404, 422),
  },
})

const freeCount = createRoute({
  method: 'get',
  path: '/v2/deployments/free-count',
  operationId: 'count_free_deployments_v2_deployments_free_count_get',
  summary: 'Count the free deployments',
  tags,
  security,
  responses: { 200: json(FreeCountSchema, 'How many there are.'), ...refusals(401, 403) },
})

const get = createRoute({
  method: 'get',
  path: '/v2/deployments/{deployment_id}',
  operationId: 'get_deployment_v2_deployments__deployment_id__get',
  summary: 'Get a deployment',
  tags,
  security,
  request: { params: DeploymentPathSchema },
  responses: { 200: json(DeploymentSchema, 'The deployment.'), ...refusals(401, 403, 404, 422) },
})

/** Makes a revision when something changes that an agent server is built or started from. */
const patch = createRoute({
  method: 'patch',
  path: '/v2/deployments/{deployment_id}',
  operationId: 'patch_deployment_v2_deployments__deployment_id__patch',
  summary: 'Change a deployment',
  tags,
  security,
  middleware: [requireBody, refuseMisplacedResources] as const,
  request: { params: DeploymentPathSchema, body: body(DeploymentPatchRequestSchema) },
  responses: {
    200: json(DeploymentSchema, 'The deployment as it is now.'),
    ...refusals(400, 401, 403, 404, 409, 413, 422),
  },
})

/** Answers at once; the deployment is there, AWAITING_DELETE, until all of it is gone. */
const remove = createRoute({
  method: 'delete',
  path: '/v2/deployments/{deployment_id}',
  operationId: 'delete_deployment_v2_deployments__deployment_id__delete',
  summary: 'Delete a deployment',
  tags,
  security,
  request: { params: DeploymentPathSchema, query: DeploymentDeleteQuerySchema },
  responses: { 204: { description: 'It is being deleted.' }, ...refusals(401, 403, 404, 422) },
})

/** Runyard's own: how many agent servers it has, and how they are. */
const runtime = createRoute({
  method: 'get',
  path: '/v2/deployments/{deployment_id}/runtime',
  operationId: 'get_deployment_runtime_v2_deployments__deployment_id__runtime_get',
  summary: 'See how a deployment runs',
  tags,
  security,
  request: { params: DeploymentPathSchema },
  responses: { 200: json(RuntimeSchema, 'As it is now.'), ...refusals(401, 403, 404, 422) },
})

const AgentKeyRotatedSchema = z
  .object({ revision_id: z.string().nullable() })
  .openapi('AgentKeyRotated')

/** Runyard's own: the key with which its agents ask for OAuth tokens is refused from now on. */
const rotateKey = createRoute({
  method: 'post',
  path: '/v2/deployments/{deployment_id}/agent-key/rotate',
  operationId: 'rotate_agent_key_v2_deployments__deployment_id__agent_key_rotate_post',
  summary: "End the key of a deployment's agents, and give them another",
  tags,
  security,
  request: { params: DeploymentPathSchema },
  responses: {
    200: json(
      AgentKeyRotatedSchema,
      'The revision whose agents get the next key, if one was made.',
    ),
    ...refusals(401, 403, 404, 409, 422),
  },
})

export function deploymentRoutes(parts: ControlPlaneParts): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  routes.openapi(list, async (c) =>
    c.json(await listDeployments(parts, c.var.principal, c.req.valid('query')), 200),
  )
  routes.openapi(create, async (c) =>
    c.json(await createDeployment(parts, c.var.principal, c.req.valid('json')), 201),
  )
  routes.openapi(removeSeveral, async (c) => {
    const { deployment_ids } = c.req.valid('query')
    const result = await deleteDeployments(parts, c.var.principal, deployment_ids)
    return c.json(result, result.failed.length > 0 ? 207 : 200)
  })
  // Before the route that would take it for an id.
  routes.openapi(freeCount, async (c) =>
    c.json(await countFreeDeployments(parts, c.var.principal), 200),
  )
  routes.openapi(get, async (c) => {
    const { deployment_id } = c.req.valid('param')
    return c.json(await getDeployment(parts, c.var.principal, deployment_id), 200)
  })
  routes.openapi(patch, async (c) => {
    const { deployment_id } = c.req.valid('param')
    const request = c.req.valid('json')
    return c.json(await patchDeployment(parts, c.var.principal, deployment_id, request), 200)
  })
  routes.openapi(remove, async (c) => {
    await deleteDeployment(parts, c.var.principal, c.req.valid('param').deployment_id)
    return c.body(null, 204)
  })
  routes.openapi(rotateKey, async (c) => {
    const { deployment_id } = c.req.valid('param')
    return c.json(await rotateAgentKey(parts, c.var.principal, deployment_id), 200)
  })
  routes.openapi(runtime, async (c) => {
    const { deployment_id } = c.req.valid('param')
    return c.json(await getRuntime(parts, c.var.principal, deployment_id), 200)
  })
  return routes
}
