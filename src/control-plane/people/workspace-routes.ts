/** `/v2/workspaces`, and `/v2/me` */

import { z } from '@hono/zod-openapi'
import { isOperator } from '../../core/people/api-key.ts'
import { answerOf } from '../../http/answer.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { body, createRoutes, json, operationsOf, type Routes } from '../operations/route.ts'
import { Limit, Offset } from '../operations/text.ts'
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

const operation = operationsOf('Workspaces (v2)')
const one = { params: WorkspacePathSchema }

/** The owner of the key or the token. */
const me = operation('get', '/v2/me', {
  name: 'get_me',
  summary: 'Read the caller',
  answers: { 200: json(MeSchema, 'Whom the key or the token belongs to.') },
})

/** The caller's own workspace; for admins of the first workspace all of them. */
const list = operation('get', '/v2/workspaces', {
  name: 'list_workspaces',
  summary: 'List workspaces',
  request: { query: z.object({ limit: Limit, offset: Offset }) },
  answers: { 200: json(WorkspacesListSchema, 'A page of workspaces.') },
})

/** For admins of the first workspace. */
const create = operation('post', '/v2/workspaces', {
  name: 'create_workspace',
  summary: 'Create a workspace',
  request: { body: body(WorkspaceRequestSchema) },
  answers: { 201: json(WorkspaceSchema, 'The workspace.') },
  refusals: [413],
})

const get = operation('get', '/v2/workspaces/{workspace_id}', {
  name: 'get_workspace',
  summary: 'Get a workspace',
  request: one,
  answers: { 200: json(WorkspaceSchema, 'The workspace.') },
  refusals: [404],
})

const rename = operation('patch', '/v2/workspaces/{workspace_id}', {
  name: 'rename_workspace',
  summary: 'Rename a workspace',
  request: { ...one, body: body(WorkspaceRequestSchema) },
  answers: { 200: json(WorkspaceSchema, 'The workspace as it is now.') },
  refusals: [404, 413],
})

/** Deletes a workspace and its keys; refused while it has deployments. */
const remove = operation('delete', '/v2/workspaces/{workspace_id}', {
  name: 'delete_workspace',
  summary: 'Delete a workspace',
  request: one,
  answers: { 204: { description: 'It is gone.' } },
  refusals: [404, 409],
})

export function workspaceRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'clock' | 'vault' | 'log'>,
): Routes {
  const routes = createRoutes()
  routes.openapi(me, (c) => {
    const { principal } = c.var
    return c.json(answerOf(MeSchema, principal, { is_operator: isOperator(principal) }), 200)
  })
  routes.openapi(list, async (c) =>
    c.json(await listWorkspaces(parts, c.var.principal, c.req.valid('query')), 200),
  )
  routes.openapi(create, async (c) =>
    c.json(await createWorkspace(parts, c.var.principal, c.req.valid('json')), 201),
  )
  routes.openapi(get, async (c) =>
    c.json(await getWorkspace(parts, c.var.principal, c.req.valid('param').workspace_id), 200),
  )
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
