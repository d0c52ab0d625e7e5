/** `/v2/figures` and the figures of one deployment: Runyard's own. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import { DeploymentPathSchema } from '../deployments/schemas.ts'
import { type ControlPlaneEnv, json, refusals, SECURITY } from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'
import {
  DeploymentFiguresSchema,
  FiguresQuerySchema,
  InstallationFiguresSchema,
  WorkspaceFiguresSchema,
} from './schemas.ts'
import { readDeploymentFigures, readInstallationFigures, readWorkspaceFigures } from './verbs.ts'

const shared = { tags: ['Figures (v2)'], security: SECURITY }

const ofDeployment = createRoute({
  method: 'get',
  path: '/v2/deployments/{deployment_id}/figures',
  operationId: 'read_deployment_figures_v2_deployments__deployment_id__figures_get',
  summary: 'Figures of a deployment over the last day',
  ...shared,
  request: { params: DeploymentPathSchema, query: FiguresQuerySchema },
  responses: {
    200: json(DeploymentFiguresSchema, 'A point for each step.'),
    ...refusals(401, 403, 404, 422),
  },
})

const ofWorkspace = createRoute({
  method: 'get',
  path: '/v2/figures',
  operationId: 'read_workspace_figures_v2_figures_get',
  summary: "Figures of the workspace's deployments, together and each at a glance",
  ...shared,
  request: { query: FiguresQuerySchema },
  responses: {
    200: json(WorkspaceFiguresSchema, 'All together, and each.'),
    ...refusals(401, 403, 422),
  },
})

/** For admins of the first workspace only: the figures are about all workspaces. */
const ofInstallation = createRoute({
  method: 'get',
  path: '/v2/installation/figures',
  operationId: 'read_installation_figures_v2_installation_figures_get',
  summary: 'Figures of the whole installation, and of the control plane itself',
  ...shared,
  request: { query: FiguresQuerySchema },
  responses: {
    200: json(InstallationFiguresSchema, 'All together, and the control plane.'),
    ...refusals(401, 403, 422),
  },
})

export function figuresRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'clock' | 'figuresStepMs'>,
): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  routes.openapi(ofDeployment, async (c) => {
    const query = { ...c.req.valid('param'), ...c.req.valid('query') }
    return c.json(await readDeploymentFigures(parts, c.var.principal, query), 200)
  })
  routes.openapi(ofWorkspace, async (c) =>
    c.json(await readWorkspaceFigures(parts, c.var.principal, c.req.valid('query')), 200),
  )
  routes.openapi(ofInstallation, async (c) =>
    c.json(await readInstallationFigures(parts, c.req.valid('query')), 200),
  )
  return routes
}
