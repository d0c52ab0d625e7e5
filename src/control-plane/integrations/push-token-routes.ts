/** `/v2/deployments/{deployment_id}/push-token` */
import { z } from '@hono/zod-openapi'
import { repositoryOf } from '../../core/deployment/images/registry.ts'
import { AppError } from '../../core/errors.ts'
import type { Principal } from '../../core/people/api-key.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { refuseDeleted, requireDeployment } from '../deployments/access.ts'
import { DeploymentPathSchema } from '../deployments/deployment-schemas.ts'
import { createRoutes, json, operationsOf, type Routes } from '../operations/route.ts'
import { record } from '../people/audit.ts'

type Parts = Pick<ControlPlaneParts, 'store' | 'registry' | 'clock'>

/** Whether the client logs in with the name of the answer; older ones always use `FIXED_NAME`. */
const PushTokenRequestSchema = z
  .object({ supports_registry_username: z.boolean().nullish() })
  .openapi('PushTokenRequest')

const PushTokenSchema = z
  .object({
    token: z.string(),
    username: z.string(),
    registry_url: z.string(),
    repository_url: z.string(),
  })
  .openapi('PushToken')

const operation = operationsOf('Deployments (v2)')

/** Answers the token with which to push the image of an `internal_docker` deployment, and the repository. */
const create = operation('post', '/v2/deployments/{deployment_id}/push-token', {
  name: 'create_push_token',
  summary: 'Make a token for pushing an image',
  request: {
    params: DeploymentPathSchema,
    body: { content: { 'application/json': { schema: PushTokenRequestSchema } } },
  },
  answers: {
    200: json(
      PushTokenSchema,
      'The login, and where images of this deployment lie: below `registry_url`, by default ' +
        'in `repository_url`.',
    ),
  },
  refusals: [400, 404, 409],
})

export function pushTokenRoutes(parts: Parts): Routes {
  const routes = createRoutes()
  routes.openapi(create, async (c) => {
    const { deployment_id } = c.req.valid('param')
    const request = c.req.valid('json')
    return c.json(await createPushToken(parts, c.var.principal, deployment_id, request), 200)
  })
  return routes
}

// Tokens for pushing an image into the operator's registry.

const FIXED_NAME = 'oauth2accesstoken'

/**
 * The token for pushing the deployment's image, and the repository: the folder of this deployment in the
 * operator's registry, whatever name the client gives the image there. Throws `not_found`,
 * `conflict` while the deployment is being deleted, and `bad_request` for a deployment of another
 * source, in words that the official CLIs know, or when no registry is configured.
 */
async function createPushToken(
  parts: Parts,
  principal: Principal,
  deployment_id: string,
  { supports_registry_username }: z.infer<typeof PushTokenRequestSchema>,
): Promise<z.infer<typeof PushTokenSchema>> {
  return parts.store.transaction(async (store) => {
    const deployment = await requireDeployment(store, principal, deployment_id)
    refuseDeleted(deployment)
    if (deployment.source !== 'internal_docker') throw otherSource(deployment.source)
    const { registry } = parts
    if (!registry?.pushLogin) throw nothingToPushTo()
    const { username, password } = registry.pushLogin
    if (supports_registry_username !== true && username !== FIXED_NAME) throw fixedName(username)
    const repository = repositoryOf(registry, deployment_id)
    await record(store, parts.clock, principal, {
      action: 'push_token.create',
      target_id: deployment_id,
      target_name: deployment.name,
      detail: { repository },
    })
    const answer = { token: password, username, registry_url: repository }
    return { ...answer, repository_url: `${repository}/${deployment.name}` }
  })
}

function otherSource(source: string): AppError {
  return new AppError(
    'bad_request',
    "push token is only available for 'internal_docker' source deployments, " +
      `and this one is of source '${source}'.`,
  )
}

function nothingToPushTo(): AppError {
  return new AppError(
    'bad_request',
    'No registry takes images here: the operator has to set RUNYARD_REGISTRY_URL and ' +
      'RUNYARD_REGISTRY_PUSH_PASSWORD. Or push to a registry of your own and deploy from it ' +
      '(source external_docker).',
  )
}

function fixedName(username: string): AppError {
  return new AppError(
    'bad_request',
    `The registry is pushed to as ${username}, and this client only logs in as ${FIXED_NAME}. Use ` +
      'langgraph-cli 0.4.40 or newer, or have the operator set RUNYARD_REGISTRY_PUSH_USER.',
  )
}
