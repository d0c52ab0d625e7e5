/** `/v2/auth/tokens` and `/v2/auth/token-events` */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { createRoutes } from '../../../http/app.ts'
import { body, type ControlPlaneEnv, json, refusals, SECURITY } from '../../operations/route.ts'
import type { OAuthParts } from '../parts.ts'
import { listTokenEvents } from './events.ts'
import {
  PersonPathSchema,
  ProviderQuerySchema,
  TokenEventSchema,
  TokenEventsQuerySchema,
  TokenPathSchema,
  TokenStatusSchema,
  TokenSummarySchema,
  TokensDeletedSchema,
  TokensQuerySchema,
  TokenUpdateRequestSchema,
} from './schemas.ts'
import {
  deleteOAuthToken,
  deleteOAuthTokens,
  deletePersonsTokens,
  deleteSlackTokens,
  hasOAuthToken,
  hasSlackToken,
  listOAuthTokens,
  updateOAuthToken,
} from './verbs.ts'

const shared = { tags: ['Auth Service (v2)'], security: SECURITY }

const list = createRoute({
  method: 'get',
  path: '/v2/auth/tokens',
  operationId: 'list_oauth_tokens_for_user_v2_auth_tokens_get',
  summary: "List the caller's tokens, without the tokens themselves",
  ...shared,
  request: { query: TokensQuerySchema },
  responses: {
    200: json(z.array(TokenSummarySchema), 'In the order created.'),
    ...refusals(401, 422),
  },
})

/** Deletes the caller's tokens of one provider, and nobody else's. */
const removeAll = createRoute({
  method: 'delete',
  path: '/v2/auth/tokens',
  operationId: 'delete_oauth_tokens_for_user_v2_auth_tokens_delete',
  summary: "Delete the caller's tokens of a provider",
  ...shared,
  request: { query: ProviderQuerySchema },
  responses: { 200: json(TokensDeletedSchema, 'What was deleted.'), ...refusals(401, 422) },
})

const exists = createRoute({
  method: 'get',
  path: '/v2/auth/tokens/exists',
  operationId: 'check_oauth_token_exists_v2_auth_tokens_exists_get',
  summary: 'Tell whether the caller has a token of a provider',
  ...shared,
  request: { query: ProviderQuerySchema },
  responses: { 200: json(TokenStatusSchema, 'Whether there is one.'), ...refusals(401, 422) },
})

const remove = createRoute({
  method: 'delete',
  path: '/v2/auth/tokens/{token_id}',
  operationId: 'delete_single_oauth_token_v2_auth_tokens__token_id__delete',
  summary: "Delete one of the caller's tokens",
  ...shared,
  request: { params: TokenPathSchema },
  responses: { 204: { description: 'It is gone.' }, ...refusals(401, 404, 422) },
})

const update = createRoute({
  method: 'patch',
  path: '/v2/auth/tokens/{token_id}/metadata',
  operationId: 'update_token_label_v2_auth_tokens__token_id__metadata_patch',
  summary: 'Name an account, or make it the default',
  ...shared,
  request: { params: TokenPathSchema, body: body(TokenUpdateRequestSchema) },
  responses: { 200: json(TokenSummarySchema, 'As it is now.'), ...refusals(401, 404, 422) },
})

const slackExists = createRoute({
  method: 'get',
  path: '/v2/auth/tokens/workspace/slack/exists',
  operationId: 'check_workspace_slack_tokens_exist_v2_auth_tokens_workspace_slack_exists_get',
  summary: "Tell whether anybody in the workspace has a token of Slack's",
  ...shared,
  responses: { 200: json(TokenStatusSchema, 'Whether there is one.'), ...refusals(401) },
})

const removeSlack = createRoute({
  method: 'delete',
  path: '/v2/auth/tokens/workspace/slack',
  operationId: 'revoke_all_slack_tokens_for_workspace_v2_auth_tokens_workspace_slack_delete',
  summary: "Delete everybody's tokens of Slack in the workspace",
  ...shared,
  responses: {
    200: json(TokensDeletedSchema.pick({ message: true }), 'What was deleted.'),
    ...refusals(401, 403),
  },
})

const removePersons = createRoute({
  method: 'delete',
  path: '/v2/auth/tokens/workspace/users/{user_id}',
  operationId: 'delete_tokens_of_user_v2_auth_tokens_workspace_users__user_id__delete',
  summary: 'Delete all tokens of a person in the workspace, whoever keeps them',
  ...shared,
  request: { params: PersonPathSchema },
  responses: {
    200: json(TokensDeletedSchema.pick({ message: true }), 'What was deleted.'),
    ...refusals(401, 403, 422),
  },
})

const events = createRoute({
  method: 'get',
  path: '/v2/auth/token-events',
  operationId: 'list_oauth_token_events_v2_auth_token_events_get',
  summary: "List what happened to the caller's tokens",
  ...shared,
  request: { query: TokenEventsQuerySchema },
  responses: { 200: json(z.array(TokenEventSchema), 'Newest first.'), ...refusals(401, 422) },
})

export function oauthTokenRoutes(parts: OAuthParts): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  routes.openapi(list, async (c) => {
    const query = c.req.valid('query')
    return c.json(await listOAuthTokens(parts, c.var.principal, query), 200)
  })
  routes.openapi(removeAll, async (c) => {
    const { provider_id } = c.req.valid('query')
    return c.json(await deleteOAuthTokens(parts, c.var.principal, provider_id), 200)
  })
  routes.openapi(exists, async (c) => {
    const { provider_id } = c.req.valid('query')
    return c.json({ has_token: await hasOAuthToken(parts, c.var.principal, provider_id) }, 200)
  })
  // Before the one whose id it would be.
  routes.openapi(slackExists, async (c) =>
    c.json({ has_token: await hasSlackToken(parts, c.var.principal) }, 200),
  )
  routes.openapi(removeSlack, async (c) =>
    c.json(await deleteSlackTokens(parts, c.var.principal), 200),
  )
  routes.openapi(removePersons, async (c) => {
    const { user_id } = c.req.valid('param')
    return c.json(await deletePersonsTokens(parts, c.var.principal, user_id), 200)
  })
  routes.openapi(remove, async (c) => {
    await deleteOAuthToken(parts, c.var.principal, c.req.valid('param').token_id)
    return c.body(null, 204)
  })
  routes.openapi(update, async (c) => {
    const { token_id } = c.req.valid('param')
    const request = c.req.valid('json')
    return c.json(await updateOAuthToken(parts, c.var.principal, token_id, request), 200)
  })
  routes.openapi(events, async (c) =>
    c.json(await listTokenEvents(parts, c.var.principal, c.req.valid('query')), 200),
  )
  return routes
}
