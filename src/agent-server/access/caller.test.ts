import { Hono } from 'hono'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ProjectAuth } from '../../core/agent/host/auth.ts'
import { DEFAULT_HTTP } from '../../core/agent/server/project-settings.ts'
import { CALLER_HEADER, GATEWAY_TOKEN_HEADER } from '../../core/deployment/internal-requests.ts'
import { AppError } from '../../core/errors.ts'
import { RateLimit } from '../../http/rate-limit.ts'
import { type AgentServerEnv, type CallerConfig, countRequests, noteCaller } from './caller.ts'
import { AS_PROJECT, guardGateway, IN_PROCESS } from './door.ts'

const TOKEN = 'the-token-of-the-gateway'
const PER_SECOND = 2

/** Says yes to `Bearer NAME`, and no to everybody else. */
const auth: ProjectAuth = {
  async authenticate(request) {
    const name = /^Bearer (\w+)$/.exec(request.headers.get('authorization') ?? '')?.[1]
    if (name) return { identity: name, display_name: name, permissions: [], is_authenticated: true }
    throw new AppError('unauthenticated', 'Who are you?')
  },
  authorize: async ({ value }) => ({ value }),
  isStudioAuthDisabled: false,
}

type Ask = (headers?: Record<string, string>, path?: string) => Promise<number>

/** A server that answers two requests of each sender in a second. */
function serve(config: Partial<CallerConfig>, { hasOpenRoutes = false } = {}): Ask {
  const rate = new RateLimit(PER_SECOND)
  const app = new Hono<AgentServerEnv>()
  app.onError((error, c) =>
    c.text('', (error as AppError).code === 'too_many_requests' ? 429 : 401),
  )
  app.use(guardGateway({ apiKeys: [], ...config }))
  if (hasOpenRoutes) app.use(countRequests(rate))
  app.get('/open', (c) => c.text('open'))
  app.use(
    noteCaller({
      apiKeys: [],
      configurableHeaders: DEFAULT_HTTP.configurableHeaders,
      rate,
      ...config,
    }),
  )
  app.get('/', (c) => c.text('closed'))
  const env = { incoming: { socket: { remoteAddress: '10.0.0.1' } } }
  return async (headers = {}, path = '/') => (await app.request(path, { headers }, env)).status
}

const bearer = (name: string) => ({ authorization: `Bearer ${name}` })

describe("a project's auth", () => {
  const app = (project: ProjectAuth) =>
    new Hono<AgentServerEnv>()
      .onError((error, c) => c.text(error.message, 401))
      .use(
        noteCaller({
          apiKeys: ['one'],
          configurableHeaders: DEFAULT_HTTP.configurableHeaders,
          auth: project,
        }),
      )
      .all('/', async (c) => c.json({ ...c.get('caller'), body: await c.req.text() }))

  it('is asked about requests from within, but for those of the project for itself', async () => {
    expect((await app(auth).request('/', {}, IN_PROCESS)).status).toBe(401)
    const answer = await app(auth).request('/', {}, AS_PROJECT)
    expect(await answer.json()).toMatchObject({ isProject: true })
  })

  it('is handed the body where it reads bodies, which is there again for the route', async () => {
    const read: (string | null)[] = []
    const reader: ProjectAuth = {
      ...auth,
      async authenticate(request) {
        read.push(request.body && (await request.text()))
        return { identity: 'a', display_name: 'a', permissions: [], is_authenticated: true }
      },
    }
    for (const wantsBody of [true, false]) {
      const sent = { method: 'POST', body: 'sent' }
      const answer = await app({ ...reader, wantsBody }).request('/', sent)
      expect(await answer.json()).toMatchObject({ identity: 'a', body: 'sent' })
    }
    expect(read).toEqual(['sent', null])
  })
})

describe('a limit of requests', () => {
  let ask: Ask

  describe('of a server with keys', () => {
    beforeEach(() => {
      ask = serve({ apiKeys: ['one', 'two'] })
    })

    it('counts by the key that let a request in, however it was sent', async () => {
      expect(await ask({ 'x-api-key': 'one' })).toBe(200)
      expect(await ask({ 'x-api-key': 'one', authorization: 'Bearer made-up' })).toBe(200)
      expect(await ask(bearer('one'))).toBe(429)
      expect(await ask(bearer('two'))).toBe(200)
    })

    it('counts keys that are none by the address', async () => {
      const answers = ['a', 'b', 'c'].map((key) => ask({ 'x-api-key': key }))
      expect(await Promise.all(answers)).toEqual([401, 401, 429])
      expect(await ask({ 'x-api-key': 'one' })).toBe(200)
    })
  })

  it('counts by whom the project recognises, be there open routes or not', async () => {
    for (const hasOpenRoutes of [false, true]) {
      ask = serve({ auth }, { hasOpenRoutes })
      for (const name of ['alice', 'bert', 'carla']) expect(await ask(bearer(name))).toBe(200)
      expect(await ask({ ...bearer('alice'), 'x-api-key': 'made-up' })).toBe(200)
      expect(await ask({ ...bearer('alice'), 'x-api-key': 'another' })).toBe(429)
    }
  })

  it('counts by address on routes of the project that ask nobody', async () => {
    ask = serve({ auth }, { hasOpenRoutes: true })
    const answers = ['a', 'b', 'c'].map((name) => ask(bearer(name), '/open'))
    expect(await Promise.all(answers)).toEqual([200, 200, 429])
  })

  describe('of a server behind the gateway', () => {
    beforeEach(() => {
      ask = serve({ gatewayToken: TOKEN })
    })
    const through = (headers: Record<string, string>) => ({
      [GATEWAY_TOKEN_HEADER]: TOKEN,
      'x-forwarded-for': '10.0.0.2',
      ...headers,
    })

    it('counts by whom the gateway has let in', async () => {
      const keys = ['a', 'b', 'c'].map((key) =>
        through({ [CALLER_HEADER]: 'u1', 'x-api-key': key }),
      )
      expect(await Promise.all(keys.map((headers) => ask(headers)))).toEqual([200, 200, 429])
      expect(await ask(through({ [CALLER_HEADER]: 'u2' }))).toBe(200)
    })

    it('counts others by the address that the gateway has seen, not by those before it', async () => {
      const from = (made: string) => through({ 'x-forwarded-for': `${made}, 10.0.0.2` })
      const answers = ['1', '2', '3'].map((made) => ask(from(`10.9.9.${made}`)))
      expect(await Promise.all(answers)).toEqual([200, 200, 429])
      expect(await ask(through({ 'x-forwarded-for': '10.0.0.3' }))).toBe(200)
    })
  })

  it('believes nobody but the gateway who the caller is', async () => {
    ask = serve({})
    const answers = ['a', 'b', 'c'].map((name) => ask({ [CALLER_HEADER]: name }))
    expect(await Promise.all(answers)).toEqual([200, 200, 429])
  })
})
