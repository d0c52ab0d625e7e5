/**
 * `/v1/integrations`: GitHub Apps, of LangGraph Platform and its Forge. Runyard has none and needs none: a deployment
 * of source `github` names any git URL, with the credentials to read it.
 */
import { z } from '@hono/zod-openapi'
import { AppError } from '../../core/errors.ts'
import { createRoutes, json, operationsOf, type Routes } from '../operations/route.ts'
import { line, Uuid } from '../operations/text.ts'

const InstallationSchema = z
  .object({ id: z.uuid(), installation_id: z.int(), name: z.string() })
  .openapi('GithubIntegration')

const RepositorySchema = z
  .object({
    host_integration_id: z.uuid(),
    id: z.int(),
    name: z.string(),
    owner: z.string(),
    url: z.string(),
    default_branch: z.string(),
  })
  .openapi('GithubRepository')

const IntegrationPathSchema = z.object({ integration_id: Uuid })

const InstallationLinkRequestSchema = z
  .object({ return_to: line(2048).nullish() })
  .nullable()
  .openapi('InstallationLinkRequest')

const operation = operationsOf('Integrations (v1)')
const installations = { 200: json(z.array(InstallationSchema), 'None: Runyard has no GitHub App.') }
const repositories = {
  200: json(z.array(RepositorySchema), 'The repositories that the installation may read.'),
}

const list = operation('get', '/v1/integrations/github/install', {
  name: 'list_github_integrations',
  summary: 'List GitHub integrations',
  answers: installations,
})

const listForge = operation('get', '/v1/integrations/forge/github/install', {
  name: 'list_forge_github_integrations',
  summary: 'List Forge GitHub integrations',
  answers: installations,
})

const listRepos = operation('get', '/v1/integrations/github/{integration_id}/repos', {
  name: 'list_github_repositories',
  summary: 'List the repositories of a GitHub integration',
  request: { params: IntegrationPathSchema },
  answers: repositories,
  refusals: [404],
})

const listForgeRepos = operation('get', '/v1/integrations/forge/github/{integration_id}/repos', {
  name: 'list_forge_github_repositories',
  summary: 'List the repositories of a Forge GitHub integration',
  request: { params: IntegrationPathSchema },
  answers: repositories,
  refusals: [404],
})

/** Always refused: there is no app to install. */
const link = operationsOf('Integrations (v2)')(
  'post',
  '/v2/integrations/forge-github/installation-link',
  {
    name: 'create_installation_link',
    summary: 'Make a link that installs the Forge GitHub App',
    request: {
      body: { content: { 'application/json': { schema: InstallationLinkRequestSchema } } },
    },
    answers: {
      200: json(z.object({ install_url: z.string() }).openapi('InstallationLink'), 'The link.'),
    },
    refusals: [400, 413],
  },
)

export function integrationRoutes(): Routes {
  const routes = createRoutes()
  routes.openapi(list, (c) => c.json([], 200))
  routes.openapi(listForge, (c) => c.json([], 200))
  routes.openapi(listRepos, (c) => refuseId(c.req.valid('param')))
  routes.openapi(listForgeRepos, (c) => refuseId(c.req.valid('param')))
  routes.openapi(link, () => {
    const why =
      'No GitHub App is set up here, and none is needed: create the deployment with source github '
    throw new AppError('bad_request', `${why}and the git URL in source_config.repo_url.`)
  })
  return routes
}

/** There is no integration, whatever the id. */
function refuseId({ integration_id }: { integration_id: string }): never {
  throw new AppError('not_found', `Integration ID ${integration_id} not found.`)
}
