/** `/v2/session` and `/v2/sessions`, for signed-in browsers. */
import { AppError } from '../../core/errors.ts'
import { keyIn } from '../../core/people/sent-key.ts'
import { endedCookie, sessionCookie } from '../../http/site.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { createRoutes, json, operationsOf, type Routes } from '../operations/route.ts'
import { type FoundSession, findSession } from './find.ts'
import {
  CurrentSessionSchema,
  SessionPathSchema,
  SessionsListSchema,
  SessionsQuerySchema,
  SignInLinkSchema,
} from './session-schemas.ts'
import {
  createLink,
  describeSession,
  endSession,
  endSessionById,
  listSessions,
  renewSession,
} from './sessions.ts'
import { requireConfidential } from './sites.ts'

type Parts = Pick<ControlPlaneParts, 'store' | 'clock' | 'identify' | 'siteOf'>

const operation = operationsOf('Sessions (v2)')

/** From time to time the answer has a new cookie, so pages call this when they open. */
const read = operation('get', '/v2/session', {
  name: 'get_session',
  summary: 'Read the session of this browser',
  answers: { 200: json(CurrentSessionSchema, 'The session.') },
  refusals: [404],
})

const end = operation('delete', '/v2/session', {
  name: 'end_session',
  summary: 'Sign out',
  answers: { 204: { description: 'It has ended.' } },
  refusals: [404],
})

/** The link has the rights of the caller's key. It works once, for half an hour, at the address of the request. */
const link = operation('post', '/v2/session/link', {
  name: 'create_sign_in_link',
  summary: 'Make a link that signs a browser in',
  answers: { 201: json(SignInLinkSchema, 'The link.') },
  refusals: [400],
})

const list = operation('get', '/v2/sessions', {
  name: 'list_sessions',
  summary: 'List the browsers that have signed in',
  request: { query: SessionsQuerySchema },
  answers: { 200: json(SessionsListSchema, 'The own ones, the last used first.') },
})

const revoke = operation('delete', '/v2/sessions/{session_id}', {
  name: 'revoke_session',
  summary: 'End a session: an own one, for admins any of the workspace',
  request: { params: SessionPathSchema },
  answers: { 204: { description: 'It has ended.' } },
  refusals: [404],
})

export function sessionRoutes(parts: Parts): Routes {
  const routes = createRoutes()
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
    if (credential === undefined) {
      const how = 'A link is made with an API key or a signed token, and not with a session.'
      throw new AppError('forbidden', how)
    }
    c.header('cache-control', 'no-store')
    return c.json(await createLink(parts, { credential, origin }), 201)
  })
  routes.openapi(list, async (c) => {
    const { limit, offset, all } = c.req.valid('query')
    const isAll = ['true', 'True', '1'].includes(all ?? '')
    const current_id = (await ownSession(parts, c.req.raw.headers))?.session.id
    const query = { limit, offset, isAll, current_id }
    return c.json(await listSessions(parts, c.var.principal, query), 200)
  })
  routes.openapi(revoke, async (c) => {
    await endSessionById(parts, c.var.principal, c.req.valid('param').session_id)
    return c.body(null, 204)
  })
  return routes
}

async function requireSession(parts: Parts, headers: Headers): Promise<FoundSession> {
  const found = await ownSession(parts, headers)
  if (found) return found
  const how = 'GET /v2/me tells whose key it is.'
  throw new AppError('not_found', `You came with a key: there is no session. ${how}`)
}

/** A key wins over a cookie: a request with a key has no session. */
async function ownSession(parts: Parts, headers: Headers): Promise<FoundSession | undefined> {
  return keyIn(headers) === undefined ? findSession(parts, headers) : undefined
}
