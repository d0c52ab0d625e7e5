/** `/v2/session/oidc`: a browser goes to the issuer, and comes back signed in. */
import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { AppError } from '../../core/errors.ts'
import { RateLimit, remoteAddress } from '../../http/rate-limit.ts'
import {
  cookieIn,
  isFromOtherPage,
  oidcCookieName,
  ownCookie,
  type Site,
  sessionCookie,
} from '../../http/site.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { PAGE_HEADERS, render } from '../oauth/consent/pages.ts'
import { createRoutes, json, openOperationsOf, type Routes } from '../operations/route.ts'
import type { Kept, OidcSignIn } from './oidc.ts'
import { SignInWaysSchema } from './session-schemas.ts'
import { openSession } from './sessions.ts'
import { requireSite } from './sites.ts'

const CALLBACK = '/v2/session/oidc/callback'
/** How long a person may take at the issuer, in ms. */
const ATTEMPT_MS = 600_000
const REQUESTS_PER_SECOND = 20

const operation = openOperationsOf('Sessions (v2)')
const page = {
  description: 'A page that says why not.',
  content: { 'text/html': { schema: z.string() } },
}

const ways = operation('get', '/v2/session/ways', {
  name: 'get_sign_in_ways',
  summary: 'List the ways to sign in',
  answers: { 200: json(SignInWaysSchema, 'The ways.') },
})

/** `to`: the page to show afterwards. */
const begin = operation('get', '/v2/session/oidc', {
  name: 'begin_oidc',
  summary: 'Lead a browser to the issuer',
  request: { query: z.object({ to: z.string().max(2048).optional() }) },
  answers: { 302: { description: 'To the issuer.' } },
  refusals: [400, 404, 422, 429, 503],
})

const callback = operation('get', CALLBACK, {
  name: 'finish_oidc',
  summary: 'Where the issuer sends the browser back to',
  answers: {
    302: { description: 'Signed in: to the page that was asked for.' },
    400: page,
    403: page,
    404: page,
    429: page,
    503: page,
  },
})

type Parts = Pick<ControlPlaneParts, 'store' | 'clock' | 'siteOf' | 'oidc'>

export function oidcRoutes(parts: Parts): Routes {
  const rate = new RateLimit(REQUESTS_PER_SECOND, 'Too many requests come from your address.')
  const routes = createRoutes()
  routes.openapi(ways, (c) => {
    const { issuer } = parts.oidc ?? {}
    const oidc = issuer === undefined ? null : { issuer, path: '/v2/session/oidc' }
    return c.json({ api_key: true as const, oidc }, 200)
  })
  routes.openapi(begin, async (c) => {
    await rate.take({ address: remoteAddress(c) })
    const { headers } = c.req.raw
    const site = requireSite(parts.siteOf(headers), headers)
    // The issuer may sign in without a question: a link on another page must not replace a session.
    if (isFromOtherPage(headers, site)) return c.redirect(`${site.origin}/sign-in`, 302)
    const { location, kept } = await requireOidc(parts).begin(site.origin + CALLBACK)
    const { to = '/' } = c.req.valid('query')
    keep(c, site, { ...kept, to }, new Date(parts.clock.now() + ATTEMPT_MS))
    return c.redirect(location, 302)
  })
  routes.openapi(callback, (c) =>
    orPage(c, () => rate.countingRefusals({ address: remoteAddress(c) }, () => finish(c, parts))),
  )
  return routes
}

async function finish(c: Context, parts: Parts): Promise<Response> {
  const { headers } = c.req.raw
  const site = requireSite(parts.siteOf(headers), headers)
  const attempt = attemptIn(headers, site)
  if (!attempt) throw otherBrowser()
  const { searchParams } = new URL(c.req.url)
  const holder = await requireOidc(parts).finish(searchParams, attempt, site.origin + CALLBACK)
  const user_agent = headers.get('user-agent') ?? undefined
  const { session, secret = '' } = await openSession(parts, holder, { user_agent, by: 'oidc' })
  keep(c, site, undefined, new Date(0))
  c.header('set-cookie', sessionCookie(site, secret, session.ends_at), { append: true })
  c.header('cache-control', 'no-store')
  return c.redirect(pageAt(site, attempt.to), 302)
}

type Attempt = Kept & { to: string }

/** The cookie is also sent when the issuer, another site, redirects back here. */
function keep(c: Context, site: Site, attempt: Attempt | undefined, expires: Date): void {
  const value = attempt ? Buffer.from(JSON.stringify(attempt)).toString('base64url') : ''
  const cookie = ownCookie(site, oidcCookieName(site), value, { expires, sameSite: 'Lax' })
  c.header('set-cookie', cookie, { append: true })
}

const Attempt = z.object({
  state: z.string(),
  nonce: z.string(),
  code_verifier: z.string(),
  to: z.string(),
})

function attemptIn(headers: Headers, site: Site): Attempt | undefined {
  const value = cookieIn(headers, oidcCookieName(site))
  try {
    return value ? Attempt.parse(JSON.parse(Buffer.from(value, 'base64url').toString())) : undefined
  } catch {
    return undefined
  }
}

/** The URL of a page of ours; for any other target, the first page. */
function pageAt({ origin }: Site, to: string): string {
  const url = URL.parse(to, origin)
  return url?.origin === origin ? url.href : `${origin}/`
}

function requireOidc({ oidc }: Parts): OidcSignIn {
  if (oidc) return oidc
  const how = 'Sign in with an API key, or set RUNYARD_OIDC_CLIENT_ID.'
  throw new AppError('not_found', `No issuer is set to sign in at. ${how}`)
}

/** A browser that comes back gets a page, with a way to try again. */
async function orPage(c: Context, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'internal') throw error
    const text = [error.message]
    const html = await render({
      ...{ kind: 'problem', title: 'You are not signed in', text, again: '/v2/session/oidc' },
    })
    return c.html(html, STATUS[error.code] ?? 403, { ...PAGE_HEADERS })
  }
}

const STATUS: Partial<Record<AppError['code'], 400 | 404 | 429 | 503>> = {
  bad_request: 400,
  not_found: 404,
  too_many_requests: 429,
  unavailable: 503,
}

function otherBrowser(): AppError {
  const what = 'This browser has not begun to sign in, or took longer than ten minutes.'
  return new AppError('forbidden', `${what} Try again.`)
}
