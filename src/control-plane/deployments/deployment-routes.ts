/** `/v2/deployments` */

import { randomUUID } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import { type Clock, timestamp } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import type { Principal } from '../../core/people/api-key.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import {
  body,
  createRoutes,
  json,
  operationsOf,
  type Routes,
  requireBody,
} from '../operations/route.ts'
import { record } from '../people/audit.ts'
import { repeatRevision } from '../revisions/revisions.ts'
import { refuseMisplacedResources } from '../sources/misplaced.ts'
import { refuseDeleted, requireDeployment, requireRevision } from './access.ts'
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
} from './deployment-schemas.ts'
import {
  countFreeDeployments,
  createDeployment,
  deleteDeployment,
  deleteDeployments,
  getDeployment,
  listDeployments,
} from './deployments.ts'
import { patchDeployment } from './patch.ts'
import { DeploymentStatesSchema, getRuntime, listStates, RuntimeSchema } from './runtime-state.ts'

const operation = operationsOf('Deployments (v2)')

/** A page of the workspace's deployments. */
const list = operation('get', '/v2/deployments', {
  name: 'list_deployments',
  summary: 'List deployments',
  request: { query: DeploymentsQuerySchema },
  answers: { 200: json(DeploymentsListSchema, 'A page of deployments.') },
})

/** Answers before anything is built: poll the latest revision. */
const create = operation('post', '/v2/deployments', {
  name: 'create_deployment',
  summary: 'Create a deployment',
  request: { body: body(DeploymentCreateRequestSchema) },
  middleware: refuseMisplacedResources,
  answers: {
    201: json(DeploymentSchema, 'The deployment, with its first revision for source github.'),
  },
  refusals: [400, 409, 413],
})

/** Deletes each by itself: one that cannot be deleted does not stop the others. */
const removeSeveral = operation('delete', '/v2/deployments', {
  name: 'delete_deployments',
  summary: 'Delete several deployments',
  request: { query: DeploymentsDeleteQuerySchema },
  answers: {
    200: json(BulkDeletionSchema, 'All of them are being deleted.'),
    207: json(BulkDeletionSchema, 'Some of them are being deleted.'),
  },
  refusals: [404],
})

const freeCount = operation('get', '/v2/deployments/free-count', {
  name: 'count_free_deployments',
  summary: 'Count the free deployments',
  answers: { 200: json(FreeCountSchema, 'How many there are.') },
})

const get = operation('get', '/v2/deployments/{deployment_id}', {
  name: 'get_deployment',
  summary: 'Get a deployment',
  request: { params: DeploymentPathSchema },
  answers: { 200: json(DeploymentSchema, 'The deployment.') },
  refusals: [404],
})

/** Makes a revision when something changes that an agent server is built or started from. */
const patch = operation('patch', '/v2/deployments/{deployment_id}', {
  name: 'patch_deployment',
  summary: 'Change a deployment',
  request: { params: DeploymentPathSchema, body: body(DeploymentPatchRequestSchema) },
  middleware: [requireBody, refuseMisplacedResources],
  answers: { 200: json(DeploymentSchema, 'The deployment as it is now.') },
  refusals: [400, 404, 409, 413],
})

/** Answers at once; the deployment stays, AWAITING_DELETE, until all of it is removed. */
const remove = operation('delete', '/v2/deployments/{deployment_id}', {
  name: 'delete_deployment',
  summary: 'Delete a deployment',
  request: { params: DeploymentPathSchema, query: DeploymentDeleteQuerySchema },
  answers: { 204: { description: 'It is being deleted.' } },
  refusals: [404],
})

/** Runyard's own: how many agent servers it has, and how they are. */
const runtime = operation('get', '/v2/deployments/{deployment_id}/runtime', {
  name: 'get_deployment_runtime',
  summary: 'See how a deployment runs',
  request: { params: DeploymentPathSchema },
  answers: { 200: json(RuntimeSchema, 'As it is now.') },
  refusals: [404],
})

/** Runyard's own: all deployments at a glance, for lists. */
const states = operation('get', '/v2/deployment-states', {
  name: 'list_deployment_states',
  summary: 'See which deployments serve, and which revisions',
  answers: { 200: json(DeploymentStatesSchema, 'As they are now.') },
})

const AgentKeyRotatedSchema = z
  .object({ revision_id: z.string().nullable() })
  .openapi('AgentKeyRotated')

/** Runyard's own: the key with which its agents ask for OAuth tokens is refused from now on. */
const rotateKey = operation('post', '/v2/deployments/{deployment_id}/agent-key/rotate', {
  name: 'rotate_agent_key',
  summary: "End the key of a deployment's agents, and give them another",
  request: { params: DeploymentPathSchema },
  answers: {
    200: json(
      AgentKeyRotatedSchema,
      'The revision whose agents get the next key, if one was made.',
    ),
  },
  refusals: [404, 409],
})

export function deploymentRoutes(parts: ControlPlaneParts): Routes {
  const routes = createRoutes()
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
  // Before the route that would take this path for an id.
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
  routes.openapi(states, async (c) => c.json(await listStates(parts, c.var.principal), 200))
  routes.openapi(runtime, async (c) => {
    const { deployment_id } = c.req.valid('param')
    return c.json(await getRuntime(parts, c.var.principal, deployment_id), 200)
  })
  return routes
}

// Replaces the key with which a deployment's agents ask for OAuth tokens.

/**
 * From now on the present key is refused. Agents get the new key with their next revision: the active revision
 * is deployed again, unless a newer one exists. Returns that revision; `null`: there is none to deploy.
 * Throws `not_found`, `conflict`.
 */
async function rotateAgentKey(
  parts: Pick<ControlPlaneParts, 'store' | 'wake' | 'clock'>,
  principal: Principal,
  deployment_id: string,
): Promise<{ revision_id: string | null }> {
  const revision_id = await parts.store.transaction(async (store) => {
    const deployment = await requireDeployment(store, principal, deployment_id)
    refuseDeleted(deployment)
    const patch = { agent_key_nonce: randomUUID(), updated_at: timestamp(parts.clock) }
    await store.deployments.update(deployment_id, patch)
    const made = await repeatActive(store, { ...deployment, ...patch }, principal, parts.clock)
    const deed = { action: 'agent_key.rotate', target_id: deployment_id } as const
    const detail = { revision_id: made }
    await record(store, parts.clock, principal, { ...deed, target_name: deployment.name, detail })
    return made
  })
  parts.wake()
  return { revision_id }
}

/** Does nothing when a newer revision is on its way or has failed: this request must not overtake it. */
async function repeatActive(
  store: ControlPlaneStore,
  deployment: Deployment,
  principal: Principal,
  clock: Clock,
): Promise<string | null> {
  const { id, active_revision_id: active, latest_revision_id: latest } = deployment
  if (active === null || active !== latest) return null
  const revision = await requireRevision(store, id, active)
  const wish = { principal, made_for: 'agent_key' } as const
  return (await repeatRevision(store, deployment, revision, wish, clock)).latest.id
}
