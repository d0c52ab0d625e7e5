/** Where browsers sign in. Needs no API key: the code or key in the body is the proof. */

import { RateLimit, remoteAddress } from '../../http/rate-limit.ts'
import { requireUtf8 } from '../../http/request-body.ts'
import { sessionCookie } from '../../http/site.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import {
  body,
  createRoutes,
  json,
  limitBody,
  openOperationsOf,
  type Routes,
  requireBody,
} from '../operations/route.ts'
import { presentSession } from './find.ts'
import { CurrentSessionSchema, SignInRequestSchema } from './session-schemas.ts'
import { describeSession, signIn } from './sessions.ts'
import { requireOwnPage, requireSite } from './sites.ts'

/** How many refusals one address may get. */
const REFUSALS_PER_SECOND = 10

const operation = openOperationsOf('Sessions (v2)')

/**
 * With the code of a link, or with a key. The answer's cookie is the session. A link that would sign another person
 * out is refused (409), with the name of the link's person, unless `replaces_session` confirms it.
 */
const open = operation('post', '/v2/session', {
  name: 'create_session',
  summary: 'Sign in',
  request: { body: body(SignInRequestSchema) },
  middleware: [requireBody],
  answers: { 201: json(CurrentSessionSchema, 'The session.') },
  refusals: [400, 401, 403, 409, 413, 422, 429, 503],
})

export function signInRoutes(
  parts: Pick<ControlPlaneParts, 'store' | 'clock' | 'identify' | 'siteOf' | 'log'>,
): Routes {
  const rate = new RateLimit(
    REFUSALS_PER_SECOND,
    'Too many sign-ins from your address were refused. Wait a second.',
  )
  const routes = createRoutes()
  routes.post('/v2/session', limitBody, requireUtf8)
  routes.openapi(open, async (c) => {
    const { headers } = c.req.raw
    const site = requireSite(parts.siteOf(headers), headers)
    requireOwnPage(headers, site)
    const user_agent = headers.get('user-agent') ?? undefined
    const present = await presentSession(parts, headers)
    const { session, secret = '' } = await rate.countingRefusals(
      { address: remoteAddress(c) },
      () => signIn(parts, c.req.valid('json'), { user_agent, present }),
    )
    c.header('set-cookie', sessionCookie(site, secret, session.ends_at))
    c.header('cache-control', 'no-store')
    return c.json(await describeSession(parts, session), 201)
  })
  return routes
}
