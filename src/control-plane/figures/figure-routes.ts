/** `/v2/figures` and the figures of one deployment: Runyard's own. */
import { DeploymentPathSchema } from '../deployments/deployment-schemas.ts'
import { createRoutes, json, operationsOf, type Routes } from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'
import {
  DeploymentFiguresSchema,
  FiguresQuerySchema,
  InstallationFiguresSchema,
  WorkspaceFiguresSchema,
} from './figure-schemas.ts'
import { readDeploymentFigures, readInstallationFigures, readWorkspaceFigures } from './figures.ts'

const operation = operationsOf('Figures (v2)')

const ofDeployment = operation('get', '/v2/deployments/{deployment_id}/figures', {
  name: 'read_deployment_figures',
  summary: 'Figures of a deployment over the last day',
  request: { params: DeploymentPathSchema, query: FiguresQuerySchema },
  answers: { 200: json(DeploymentFiguresSchema, 'A point for each step.') },
  refusals: [404],
})

const ofWorkspace = operation('get', '/v2/figures', {
  name: 'read_workspace_figures',
  summary: "Figures of the workspace's deployments, together and each at a glance",
  request: { query: FiguresQuerySchema },
  answers: { 200: json(WorkspaceFiguresSchema, 'All together, and each.') },
})

/** For admins of the first workspace only: the figures are about all workspaces. */
const ofInstallation = operation('get', '/v2/installation/figures', {
  name: 'read_installation_figures',
  summary: 'Figures of the whole installation, and of the control plane itself',
  request: { query: FiguresQuerySchema },
  answers: { 200: json(InstallationFiguresSchema, 'All together, and the control plane.') },
})

export function figuresRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'clock' | 'figuresStepMs'>,
): Routes {
  const routes = createRoutes()
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
