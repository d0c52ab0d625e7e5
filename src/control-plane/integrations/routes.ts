/** `/v1/integrations` */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import { type ControlPlaneEnv, json, refusals, SECURITY } from '../operations/route.ts'
import { installationLink, listInstallations, listRepositories } from './integrations.ts'
import {
  InstallationLinkRequestSchema,
  InstallationSchema,
  IntegrationPathSchema,
  RepositorySchema,
} from './schemas.ts'

const common = { tags: ['Integrations (v1)'], security: SECURITY }
const installations = {
  200: json(z.array(InstallationSchema), 'None: Runyard has no GitHub App.'),
  ...refusals(401, 403),
}
const repositories = {
  200: json(z.array(RepositorySchema), 'The repositories that the installation may read.'),
  ...refusals(401, 403, 404, 422),
}

const list = createRoute({
  method: 'get',
  path: '/v1/integrations/github/install',
  operationId: 'list_github_integrations_v1_integrations_github_install_get',
  summary: 'List GitHub integrations',
  ...common,
  responses: installations,
})

const listForge = createRoute({
  method: 'get',
  path: '/v1/integrations/forge/github/install',
  operationId: 'list_forge_github_integrations_v1_integrations_forge_github_install_get',
  summary: 'List Forge GitHub integrations',
  ...common,
  responses: installations,
})

const listRepos = createRoute({
  method: 'get',
  path: '/v1/integrations/github/{integration_id}/repos',
  operationId: 'list_github_repositories_v1_integrations_github__integration_id__repos_get',
  summary: 'List the repositories of a GitHub integration',
  ...common,
  request: { params: IntegrationPathSchema },
  responses: repositories,
})

const listForgeRepos = createRoute({
  method: 'get',
  path: '/v1/integrations/forge/github/{integration_id}/repos',
  operationId:
    'list_forge_github_repositories_v1_integrations_forge_github__integration_id__repos_get',
  summary: 'List the repositories of a Forge GitHub integration',
  ...common,
  request: { params: IntegrationPathSchema },
  responses: repositories,
})

/** Always refused: there is no app to install. */
const link = createRoute({
  method: 'post',
  path: '/v2/integrations/forge-github/installation-link',
  operationId: 'create_installation_link_v2_integrations_forge_github_installation_link_post',
  summary: 'Make a link that installs the Forge GitHub App',
  tags: ['Integrations (v2)'],
  security: SECURITY,
  request: {
    body: { content: { 'application/json': { schema: InstallationLinkRequestSchema } } },
  },
  responses: {
    200: json(z.object({ install_url: z.string() }).openapi('InstallationLink'), 'The link.'),
    ...refusals(400, 401, 403, 413, 422),
  },
})

export function integrationRoutes(): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  routes.openapi(list, (c) => c.json(listInstallations(), 200))
  routes.openapi(listForge, (c) => c.json(listInstallations(), 200))
  routes.openapi(listRepos, (c) =>
    c.json(listRepositories(c.req.valid('param').integration_id), 200),
  )
  routes.openapi(listForgeRepos, (c) =>
    c.json(listRepositories(c.req.valid('param').integration_id), 200),
  )
  routes.openapi(link, (c) => c.json(installationLink(), 200))
  return routes
}
