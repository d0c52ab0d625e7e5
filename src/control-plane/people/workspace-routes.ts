/** `/v2/workspaces`, and `/v2/me` */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { isOperator } from '../../core/people/api-key.ts'
import { createRoutes } from '../../http/app.ts'
import { body, type ControlPlaneEnv, json, refusals, SECURITY } from '../operations/route.ts'
import { Limit, Offset } from '../operations/text.ts'
import type { ControlPlaneParts } from '../parts.ts'
import {
  MeSchema,
  WorkspacePathSchema,
  WorkspaceRequestSchema,
  WorkspaceSchema,
  WorkspacesListSchema,
} from './workspace-schemas.ts'
import {
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listWorkspaces,
  renameWorkspace,
} from './workspaces.ts'

const common = { tags: ['Workspaces (v2)'], security: SECURITY }
const one = { params: WorkspacePathSchema }

/** Who the key or the token stands for. */
const me = createRoute({
  method: 'get',
  path: '/v2/me',
  operationId: 'get_me_v2_me_get',
  summary: 'Tell who asks',
  ...common,
  responses: {
    200: json(MeSchema, 'Whom the key or the token belongs to.'),
    ...refusals(401, 403),
  },
})

/** The own one; for admins of the first workspace all of them. */
const list = createRoute({
  method: 'get',
  path: '/v2/workspaces',
  operationId: 'list_workspaces_v2_workspaces_get',
  summary: 'List workspaces',
  ...common,
  request: { query: z.object({ limit: Limit, offset: Offset }) },
  responses: {
    200: json(WorkspacesListSchema, 'A page of workspaces.'),
    ...refusals(401, 403, 422),
  },
})

/** For admins of the first workspace. */
const create = createRoute({
  method: 'post',
  path: '/v2/workspaces',
  operationId: 'create_workspace_v2_workspaces_post',
  summary: 'Create a workspace',
  ...common,
  request: { body: body(WorkspaceRequestSchema) },
  responses: { 201: json(WorkspaceSchema, 'The workspace.'), ...refusals(401, 403, 413, 422) },
})

const get = createRoute({
  method: 'get',
  path: '/v2/workspaces/{workspace_id}',
  operationId: 'get_workspace_v2_workspaces__workspace_id__get',
  summary: 'Get a workspace',
  ...common,
  request: one,
  responses: { 200: json(WorkspaceSchema, 'The workspace.'), ...refusals(401, 403, 404, 422) },
})

const rename = createRoute({
  method: 'patch',
  path: '/v2/workspaces/{workspace_id}',
  operationId: 'rename_workspace_v2_workspaces__workspace_id__patch',
  summary: 'Rename a workspace',
  ...common,
  request: { ...one, body: body(WorkspaceRequestSchema) },
  responses: {
    200: json(WorkspaceSchema, 'The workspace as it is now.'),
    ...refusals(401, 403, 404, 413, 422),
  },
})

/** With its keys; refused while it has deployments. */
const remove = createRoute({
  method: 'delete',
  path: '/v2/workspaces/{workspace_id}',
  operationId: 'delete_workspace_v2_workspaces__workspace_id__delete',
  summary: 'Delete a workspace',
  ...common,
  request: one,
  responses: { 204: { description: 'It is gone.' }, ...refusals(401, 403, 404, 409, 422) },
})

export function workspaceRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'clock' | 'vault' | 'log'>,
): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  routes.openapi(me, (c) => {
    const { principal } = c.var
    return c.json({ ...principal, is_operator: isOperator(principal) }, 200)
  })
  routes.openapi(list, async (c) =>
    c.json(await listWorkspaces(parts, c.var.principal, c.req.valid('query')), 200),
  )
  routes.openapi(create, async (c) =>
    c.json(await createWorkspace(parts, c.var.principal, c.req.valid('json')), 201),
  )
  routes.openapi(get, async (c) => {
    const { workspace_id } = c.req.valid('param')
    return c.json(await getWorkspace(parts, c.var.principal, workspace_id), 200)
  })
  routes.openapi(rename, async (c) => {
    const { workspace_id } = c.req.valid('param')
    const request = c.req.valid('json')
    return c.json(await renameWorkspace(parts, c.var.principal, workspace_id, request), 200)
  })
  routes.openapi(remove, async (c) => {
    await deleteWorkspace(parts, c.var.principal, c.req.valid('param').workspace_id)
    return c.body(null, 204)
  })
  return routes
}
