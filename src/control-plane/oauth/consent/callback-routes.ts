/** Pages for people's browsers: the link, the provider's callback, and GitHub's callback after an installation. */
import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { AppError } from '../../../core/errors.ts'
import type { OAuthConsent } from '../../../core/oauth/consent.ts'
import { type HookResult, refuseInvalid } from '../../../http/app.ts'
import { RateLimit, remoteAddress } from '../../../http/rate-limit.ts'
import type { OAuthParts } from '../../control-plane-parts.ts'
import { createRoutes, openOperationsOf, type Routes } from '../../operations/route.ts'
import { ProviderPathSchema } from '../providers/provider-schemas.ts'
import { type Bearer, type Outcome, takeCallback } from './callback.ts'
import { AuthPathSchema, CallbackQuerySchema, SetupQuerySchema } from './consent-schemas.ts'
import { followLink, linkOf, openLink } from './consents.ts'
import {
  PAGE_HEADERS,
  type Page,
  QUESTION_HEADERS,
  type Question,
  renderQuestion,
} from './pages.ts'
import { orPage, show } from './refusal-pages.ts'

const page = {
  description: 'A page that says what has become of it.',
  content: { 'text/html': { schema: z.string() } },
}
const operation = openOperationsOf('Auth Service (v2)')

const start = operation('get', '/v2/auth/start/{auth_id}', {
  name: 'start_oauth',
  summary: 'The consent page that a person opens: shows the agent and the scopes it asks for',
  request: { params: AuthPathSchema },
  answers: { 200: page },
  refusals: [404, 409, 410, 422, 429],
})

const follow = operation('post', '/v2/auth/start/{auth_id}', {
  name: 'continue_oauth',
  summary: 'What that page sends when the person continues: leads on to the provider',
  request: { params: AuthPathSchema },
  answers: { 303: { description: 'To the provider.' } },
  refusals: [403, 404, 409, 410, 422, 429],
})

/** Browsers get these as a page. */
const TAKEN_BACK = [400, 401, 403, 404, 409, 410, 422, 429, 503] as const

const callback = operation('get', '/v2/auth/callback/{provider_id}', {
  name: 'oauth_callback_get',
  summary: 'Where a provider sends the person back to',
  request: { params: ProviderPathSchema, query: CallbackQuerySchema },
  answers: { 200: page },
  refusals: TAKEN_BACK,
})

const setup = operation('get', '/v2/auth/setup/{provider_id}', {
  name: 'oauth_setup_callback',
  summary: 'Where GitHub sends a person back to who has installed or changed an app',
  request: { params: ProviderPathSchema, query: SetupQuerySchema },
  answers: { 200: page },
  refusals: TAKEN_BACK,
})

/** The limit for one address: a consent takes three requests, and an office shares one address. */
const REQUESTS_PER_SECOND = 50

/** These routes need no key: a browser has none. It brings the secrets of its consent. */
export function oauthCallbackRoutes(parts: OAuthParts): Routes {
  const rate = new RateLimit(REQUESTS_PER_SECOND, 'Too many requests come from your address.')
  const routes = createRoutes()
  for (const path of ['/v2/auth/start/*', '/v2/auth/callback/*', '/v2/auth/setup/*']) {
    routes.use(path, (c, next) => limited(c, parts, { rate, next }))
  }
  // A browser gets a page for a request that does not validate, as for every other refusal.
  const hook = (result: HookResult, c: Context) => {
    if (!result.success) return orPage(c, parts, undefined, async () => refuseInvalid(result))
  }
  routes.openapi(
    start,
    (c) =>
      orPage(c, parts, undefined, async () => {
        const question = await questionOf(parts, c.req.valid('param').auth_id)
        return c.html(await renderQuestion(question), 200, { ...QUESTION_HEADERS })
      }),
    hook,
  )
  routes.openapi(
    follow,
    (c) =>
      orPage(c, parts, undefined, async () => {
        requireOwnPage(c, parts)
        const { location, consent } = await followLink(parts, c.req.valid('param').auth_id)
        keepKey(c, consent)
        return c.body(null, 303, { ...PAGE_HEADERS, location })
      }),
    hook,
  )
  routes.openapi(callback, (c) => takeBack(c, parts, c.req.valid('param').provider_id), hook)
  routes.openapi(
    setup,
    (c) => {
      const { code, error } = c.req.valid('query')
      if (code !== undefined || error !== undefined) {
        return takeBack(c, parts, c.req.valid('param').provider_id)
      }
      return show(c, SET_UP, 200)
    },
    hook,
  )
  return routes
}

/** These requests need no key, so that each address has a limit. */
async function limited(
  c: Context,
  parts: OAuthParts,
  { rate, next }: { rate: RateLimit; next: () => Promise<void> },
) {
  // An application that hands in an answer has a key, and the key has its own limit.
  if (c.req.method === 'POST' && c.req.path.includes('/callback/')) return next()
  try {
    await rate.take({ address: remoteAddress(c) })
  } catch (error) {
    return orPage(c, parts, undefined, () => Promise.reject(error))
  }
  return next()
}

async function questionOf(parts: OAuthParts, auth_id: string): Promise<Question> {
  const { consent, provider } = await openLink(parts, auth_id)
  const workspace = await parts.store.workspaces.get(consent.workspace_id)
  return {
    asker: consent.actor.name,
    workspace: workspace?.name ?? consent.workspace_id,
    user: consent.end_user_id || consent.actor.name,
    provider: provider.name,
    host: new URL(provider.auth_url).host,
    scopes: consent.scopes,
    action: encodeURIComponent(auth_id),
  }
}

/**
 * Throws `forbidden` for a form of another site, which would skip the question. Browsers name the form's
 * site in one of two headers; over plain HTTP only in the second.
 */
function requireOwnPage(c: Context, { publicUrl }: OAuthParts): void {
  const site = c.req.header('sec-fetch-site')
  if (site === 'same-origin') return
  const origin = URL.parse(c.req.header('origin') ?? '')
  const own = [c.req.header('host'), new URL(publicUrl()).host]
  if (site === undefined && origin && own.includes(origin.host)) return
  throw new AppError('forbidden', 'Open the link, and continue from there.')
}

/** The path for logs and traces, without the id of the link: the id alone opens it. */
export function withoutLink(path: string): string {
  return path.replace(/(\/v2\/auth\/(?:start|wait)\/).+/, '$1{auth_id}')
}

async function takeBack(c: Context, parts: OAuthParts, provider_id: string) {
  const { searchParams: params } = new URL(c.req.url)
  return orPage(c, parts, params.get('state'), async () => {
    const bearerOf = () => findBearer(c, parts)
    const outcome = await takeCallback(parts, { provider_id, params, bearerOf })
    return show(c, pageOf(parts, outcome), 200)
  })
}

/** A caller with a key or a signed token needs no cookie. */
async function findBearer(c: Context, parts: OAuthParts): Promise<Bearer> {
  const { headers } = c.req.raw
  if (headers.has('authorization') || headers.has('x-api-key')) {
    return { kind: 'caller', principal: await parts.authenticate(headers), user_id: undefined }
  }
  return { kind: 'browser', keyOf: (id) => getCookie(c, cookieName(id)) }
}

function cookieName(consent_id: string): string {
  return `runyard_consent_${consent_id}`
}

/** The browser sends the cookie only to this callback, also when the provider redirects there. */
function keepKey(c: Context, { id, secrets, redirect_uri, expires_at }: OAuthConsent): void {
  const { protocol, pathname } = new URL(redirect_uri)
  setCookie(c, cookieName(id), secrets.browser_key, {
    path: pathname,
    httpOnly: true,
    secure: protocol === 'https:',
    sameSite: 'Lax',
    expires: new Date(expires_at),
  })
}

function pageOf(parts: OAuthParts, outcome: Outcome): Page {
  const { name } = outcome.provider
  if (outcome.kind === 'completed') {
    const text = ['The agent can go on now.', 'You can close this page.']
    return { kind: 'done', title: `${name} is connected`, text }
  }
  return {
    kind: 'refused',
    title: 'Nothing was connected',
    text: [
      `You gave no access to ${name}, so the agent cannot go on with it.`,
      'If you have changed your mind, try again.',
    ],
    again: linkOf(parts, outcome.consent),
  }
}

const SET_UP: Page = {
  kind: 'done',
  title: 'The app is set up',
  text: ['The agent can go on now.', 'You can close this page.'],
}
