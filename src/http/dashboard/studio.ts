/** The Studio of one agent server: the app at `/studio`, and sign-in if the server has keys. */
import { Hono } from 'hono'
import { z } from 'zod'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { DEFAULT_WORKSPACE_ID } from '../../core/people/api-key.ts'
import { limitBody } from '../body-limit.ts'
import { onError } from '../errors.ts'
import { RateLimit, remoteAddress } from '../rate-limit.ts'
import { isFromOtherPage, type Site, type SiteOf } from '../site.ts'
import type { AnswerPage } from './app.ts'
import { closedStudio, keyOfStudio, openStudio } from './studio-cookie.ts'

interface StudioParts {
  /** The server's keys; empty: none is needed. */
  keys: readonly string[]
  siteOf: SiteOf
  pages: AnswerPage
  clock: Clock
  log: Log
}

const REFUSALS_PER_SECOND = 10
const MAX_BODY_BYTES = 64 * 1024
const Credential = z.object({ api_key: z.string().min(1) })

/** The user of the Studio: keys of an agent server have no roles. */
const DEVELOPER = {
  id: '00000000-0000-4000-8000-000000000000',
  user_id: 'studio',
  name: 'developer',
  kind: 'api_key',
  role: 'admin',
  workspace_id: DEFAULT_WORKSPACE_ID,
  is_operator: true,
  workspaces: [],
} as const

/** Answers below `/studio`; unknown paths get the Hono app's 404. */
export function createStudio(parts: StudioParts): Hono {
  const { keys, pages, log } = parts
  const rate = new RateLimit(
    REFUSALS_PER_SECOND,
    'Too many wrong keys from your address. Wait a second.',
  )
  const studio = new Hono()
  studio.onError(onError(log))
  studio.use('/studio/session', async (c, next) => {
    c.header('cache-control', 'no-store')
    await next()
  })
  studio.use('/studio/session', limitBody(MAX_BODY_BYTES, 'the limit of signing in'))
  studio.get('/studio/session', (c) => {
    if (keys.length > 0 && keyOfStudio(parts, c.req.raw.headers) === undefined) throw signedOut()
    return c.json(DEVELOPER)
  })
  studio.post('/studio/session', async (c) => {
    const { headers } = c.req.raw
    const site = requireOwn(parts, headers)
    const sent = Credential.safeParse(await c.req.json().catch(() => undefined))
    if (!sent.success) throw unreadable()
    const { api_key } = sent.data
    if (keys.length > 0) {
      const sender = { address: remoteAddress(c) }
      const cookie = await rate.countingRefusals(sender, async () =>
        openStudio(parts, site, api_key),
      )
      c.header('set-cookie', cookie)
    }
    return c.json(DEVELOPER, 201)
  })
  studio.delete('/studio/session', (c) => {
    c.header('set-cookie', closedStudio(requireOwn(parts, c.req.raw.headers)))
    return c.body(null, 204)
  })
  studio.notFound(async (c) => (await pages(c.req.raw)) ?? c.json({ detail: 'No such file.' }, 404))
  return studio
}

/** Throws `forbidden` for a foreign host name, and for a foreign page. */
function requireOwn({ siteOf }: StudioParts, headers: Headers): Site {
  const site = siteOf(headers)
  if (site && !isFromOtherPage(headers, site)) return site
  const where = site ? `${site.origin}/studio` : 'the address in RUNYARD_PUBLIC_URL'
  throw new AppError('forbidden', `Sign in to the Studio at ${where} itself.`)
}

function signedOut(): AppError {
  const how = 'Sign in with one of the keys in RUNYARD_API_KEYS.'
  return new AppError('unauthenticated', `This browser is not signed in. ${how}`)
}

function unreadable(): AppError {
  return new AppError('bad_request', 'Send {"api_key": "…"} as JSON.')
}
