/** `/v2/auth/tokens` and `/v2/auth/token-events` */
import { z } from '@hono/zod-openapi'
import type { OAuthParts } from '../../control-plane-parts.ts'
import {
  body,
  createRoutes,
  json,
  operationsForAnyKey,
  type Routes,
} from '../../operations/route.ts'
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
} from './token-schemas.ts'
import {
  deleteOAuthToken,
  deleteOAuthTokens,
  deletePersonsTokens,
  deleteSlackTokens,
  hasOAuthToken,
  hasSlackToken,
  listOAuthTokens,
  updateOAuthToken,
} from './tokens.ts'

const operation = operationsForAnyKey('Auth Service (v2)')

const list = operation('get', '/v2/auth/tokens', {
  name: 'list_oauth_tokens_for_user',
  summary: "List the caller's tokens, without the tokens themselves",
  request: { query: TokensQuerySchema },
  answers: { 200: json(z.array(TokenSummarySchema), 'In the order created.') },
})

/** Deletes the caller's own tokens of one provider alone. */
const removeAll = operation('delete', '/v2/auth/tokens', {
  name: 'delete_oauth_tokens_for_user',
  summary: "Delete the caller's tokens of a provider",
  request: { query: ProviderQuerySchema },
  answers: { 200: json(TokensDeletedSchema, 'What was deleted.') },
})

const exists = operation('get', '/v2/auth/tokens/exists', {
  name: 'check_oauth_token_exists',
  summary: 'Check whether the caller has a token of a provider',
  request: { query: ProviderQuerySchema },
  answers: { 200: json(TokenStatusSchema, 'Whether there is one.') },
})

const remove = operation('delete', '/v2/auth/tokens/{token_id}', {
  name: 'delete_single_oauth_token',
  summary: "Delete one of the caller's tokens",
  request: { params: TokenPathSchema },
  answers: { 204: { description: 'It is gone.' } },
  refusals: [404],
})

const update = operation('patch', '/v2/auth/tokens/{token_id}/metadata', {
  name: 'update_token_label',
  summary: 'Name an account, or make it the default',
  request: { params: TokenPathSchema, body: body(TokenUpdateRequestSchema) },
  answers: { 200: json(TokenSummarySchema, 'As it is now.') },
  refusals: [404],
})

const slackExists = operation('get', '/v2/auth/tokens/workspace/slack/exists', {
  name: 'check_workspace_slack_tokens_exist',
  summary: 'Check whether the workspace has a Slack token',
  answers: { 200: json(TokenStatusSchema, 'Whether there is one.') },
})

const removeSlack = operation('delete', '/v2/auth/tokens/workspace/slack', {
  name: 'revoke_all_slack_tokens_for_workspace',
  summary: 'Delete all Slack tokens of the workspace',
  answers: { 200: json(TokensDeletedSchema.pick({ message: true }), 'What was deleted.') },
  refusals: [403],
})

const removePersons = operation('delete', '/v2/auth/tokens/workspace/users/{user_id}', {
  name: 'delete_tokens_of_user',
  summary: 'Delete all tokens of a person in the workspace',
  request: { params: PersonPathSchema },
  answers: { 200: json(TokensDeletedSchema.pick({ message: true }), 'What was deleted.') },
  refusals: [403],
})

const events = operation('get', '/v2/auth/token-events', {
  name: 'list_oauth_token_events',
  summary: "List what happened to the caller's tokens",
  request: { query: TokenEventsQuerySchema },
  answers: { 200: json(z.array(TokenEventSchema), 'Newest first.') },
})

export function oauthTokenRoutes(parts: OAuthParts): Routes {
  const routes = createRoutes()
  routes.openapi(list, async (c) => {
    const query = c.req.valid('query')
    return c.json(await listOAuthTokens(parts, c.var.principal, query), 200)
  })
  routes.openapi(removeAll, async (c) =>
    c.json(await deleteOAuthTokens(parts, c.var.principal, c.req.valid('query').provider_id), 200),
  )
  routes.openapi(exists, async (c) => {
    const { provider_id } = c.req.valid('query')
    return c.json({ has_token: await hasOAuthToken(parts, c.var.principal, provider_id) }, 200)
  })
  // Before the route that would take this path for an id.
  routes.openapi(slackExists, async (c) =>
    c.json({ has_token: await hasSlackToken(parts, c.var.principal) }, 200),
  )
  routes.openapi(removeSlack, async (c) =>
    c.json(await deleteSlackTokens(parts, c.var.principal), 200),
  )
  routes.openapi(removePersons, async (c) =>
    c.json(await deletePersonsTokens(parts, c.var.principal, c.req.valid('param').user_id), 200),
  )
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
