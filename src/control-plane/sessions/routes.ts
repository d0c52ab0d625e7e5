/** `/v2/session` and `/v2/sessions`, for those who have signed in. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import { AppError } from '../../core/errors.ts'
import { keyIn } from '../../core/people/sent-key.ts'
import { createRoutes } from '../../http/app.ts'
import { endedCookie, sessionCookie } from '../../http/session-cookie.ts'
import { type ControlPlaneEnv, json, refusals, SECURITY } from '../operations/route.ts'
import type { ControlPlaneParts } from '../parts.ts'
import { type FoundSession, findSession } from './find.ts'
import {
  CurrentSessionSchema,
  SessionPathSchema,
  SessionsListSchema,
  SessionsQuerySchema,
  SignInLinkSchema,
} from './schemas.ts'
import { requireConfidential } from './sites.ts'
import {
  createLink,
  describeSession,
  endSession,
  endSessionById,
  listSessions,
  renewSession,
} from './verbs.ts'

const common = { tags: ['Sessions (v2)'], security: SECURITY }

/** From time to time the answer has a new cookie, so pages ask when they open. */
const read = createRoute({
  method: 'get',
  path: '/v2/session',
  operationId: 'get_session_v2_session_get',
  summary: 'Tell who has signed in with this browser',
  ...common,
  responses: { 200: json(CurrentSessionSchema, 'The session.'), ...refusals(401, 403, 404) },
})

const end = createRoute({
  method: 'delete',
  path: '/v2/session',
  operationId: 'end_session_v2_session_delete',
  summary: 'Sign out',
  ...common,
  responses: { 204: { description: 'It has ended.' }, ...refusals(401, 403, 404) },
})

/** For the one who has the key: good once, for half an hour, at the address that was asked. */
const link = createRoute({
  method: 'post',
  path: '/v2/session/link',
  operationId: 'create_sign_in_link_v2_session_link_post',
  summary: 'Make a link that signs a browser in',
  ...common,
  responses: { 201: json(SignInLinkSchema, 'The link.'), ...refusals(400, 401, 403) },
})

const list = createRoute({
  method: 'get',
  path: '/v2/sessions',
  operationId: 'list_sessions_v2_sessions_get',
  summary: 'List the browsers that have signed in',
  ...common,
  request: { query: SessionsQuerySchema },
  responses: {
    200: json(SessionsListSchema, 'The own ones, the last used first.'),
    ...refusals(401, 403, 422),
  },
})

const revoke = createRoute({
  method: 'delete',
  path: '/v2/sessions/{session_id}',
  operationId: 'revoke_session_v2_sessions__session_id__delete',
  summary: 'End a session: an own one, for admins any of the workspace',
  ...common,
  request: { params: SessionPathSchema },
  responses: { 204: { description: 'It has ended.' }, ...refusals(401, 403, 404, 422) },
})

export function sessionRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'clock' | 'identify' | 'siteOf'>,
): OpenAPIHono<ControlPlaneEnv> {
  const routes = createRoutes<ControlPlaneEnv>()
  routes.openapi(read, async (c) => {
    const found = await requireSession(parts, c.req.raw.headers)
    const { session, secret } = await renewSession(parts, found)
    if (secret) c.header('set-cookie', sessionCookie(found.site, secret, session.ends_at))
    c.header('cache-control', 'no-store')
    return c.json(await describeSession(parts, session), 200)
  })
  routes.openapi(end, async (c) => {
    const { session, site } = await requireSession(parts, c.req.raw.headers)
    await endSession(parts, c.var.principal, session)
    c.header('set-cookie', endedCookie(site))
    return c.body(null, 204)
  })
  routes.openapi(link, async (c) => {
    const { headers } = c.req.raw
    const { origin } = requireConfidential(parts.siteOf(headers), headers)
    const credential = keyIn(headers)
    if (credential === undefined) throw withoutKey()
    c.header('cache-control', 'no-store')
    return c.json(await createLink(parts, { credential, origin }), 201)
  })
  routes.openapi(list, async (c) => {
    const { limit, offset, all } = c.req.valid('query')
    const isAll = ['true', 'True', '1'].includes(all ?? '')
    const current_id = await currentId(parts, c.req.raw.headers)
    const query = { limit, offset, isAll, current_id }
    return c.json(await listSessions(parts, c.var.principal, query), 200)
  })
  routes.openapi(revoke, async (c) => {
    await endSessionById(parts, c.var.principal, c.req.valid('param').session_id)
    return c.body(null, 204)
  })
  return routes
}

/** A key wins over a cookie: who sends one has no session here. */
async function requireSession(
  parts: Pick<ControlPlaneParts, 'store' | 'clock' | 'siteOf'>,
  headers: Headers,
): Promise<FoundSession> {
  const found = keyIn(headers) === undefined ? await findSession(parts, headers) : undefined
  if (found) return found
  const how = 'GET /v2/me tells whose key it is.'
  throw new AppError('not_found', `You came with a key: there is no session. ${how}`)
}

async function currentId(
  parts: Pick<ControlPlaneParts, 'store' | 'clock' | 'siteOf'>,
  headers: Headers,
): Promise<string | undefined> {
  if (keyIn(headers) !== undefined) return undefined
  return (await findSession(parts, headers))?.session.id
}

function withoutKey(): AppError {
  return new AppError(
    'forbidden',
    'A link is made with an API key or a signed token, and not with a session.',
  )
}
