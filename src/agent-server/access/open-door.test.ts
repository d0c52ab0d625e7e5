import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { silentLog } from '../../core/log.ts'
import type { CorsConfig } from '../../core/network/cors.ts'
import type { AgentServerEnv } from './caller.ts'
import {
  guardOpenServer,
  guardSockets,
  isHostAllowed,
  isOriginAllowed,
  type OpenTo,
  STUDIO_ORIGINS,
} from './open-door.ts'

const LOCAL: OpenTo = { host: '127.0.0.1', hosts: [], origins: STUDIO_ORIGINS }

describe('a host', () => {
  test.each([
    ['localhost:2024', true],
    ['127.0.0.1:2024', true],
    ['[::1]:2024', true],
    ['agent.localhost', true],
    ['evil.test', false],
    ['localhost.evil.test:2024', false],
    ['127.0.0.1.evil.test', false],
    ['192.168.1.5', false],
    ['agents.test', false],
    ['', false],
  ])('"%s" is let in where it listens on the loopback: %s', (host, isAllowed) => {
    expect(isHostAllowed(host, LOCAL)).toBe(isAllowed)
    expect(isHostAllowed(host, { ...LOCAL, host: '::1' })).toBe(isAllowed)
    expect(isHostAllowed(host, { ...LOCAL, host: 'localhost' })).toBe(isAllowed)
  })

  test('is anyone where its operator lets others in, and where it is named', () => {
    expect(isHostAllowed('agents.test:2024', { ...LOCAL, host: '0.0.0.0' })).toBe(true)
    for (const named of ['agents.test', '.test', '*']) {
      expect(isHostAllowed('agents.test:2024', { ...LOCAL, hosts: [named] })).toBe(true)
    }
    expect(isHostAllowed('agentstest', { ...LOCAL, hosts: ['.test'] })).toBe(false)
  })
})

test('each request is asked for its host, whatever the one before it named', async () => {
  const app = new Hono().use(guardOpenServer(LOCAL, undefined, silentLog))
  app.all('*', (c) => c.text('')).onError((error, c) => c.text(error.message, 403))
  const statuses: number[] = []
  for (const host of ['localhost', 'localhost', 'evil.test', 'evil.test', 'localhost', '[::1]']) {
    statuses.push((await app.request('/', { headers: { host } })).status)
  }
  expect(statuses).toEqual([200, 200, 403, 403, 200, 200])
})

describe('a page', () => {
  test.each([
    ['http://localhost:3000', 'localhost:2024', true],
    ['https://127.0.0.1', 'localhost:2024', true],
    ['https://smith.langchain.com', 'localhost:2024', true],
    ['https://eu.smith.langchain.com', 'localhost:2024', true],
    ['http://192.168.1.5:3000', '192.168.1.5:2024', true],
    ['https://evil.test', 'localhost:2024', false],
    ['http://smith.langchain.com', 'localhost:2024', false],
    ['null', 'localhost:2024', false],
  ])('of %s may ask %s: %s', (origin, host, isAllowed) => {
    expect(isOriginAllowed(origin, host, LOCAL)).toBe(isAllowed)
  })

  test('may where the setting or the project names its origin', async () => {
    const origin = 'https://app.test'
    expect(isOriginAllowed(origin, 'localhost', { ...LOCAL, origins: [origin] })).toBe(true)
    expect(isOriginAllowed(origin, 'localhost', { ...LOCAL, origins: ['*'] })).toBe(true)
    const ask = (cors: CorsConfig | undefined, path = '/') => {
      const app = new Hono().use(guardOpenServer(LOCAL, cors, silentLog))
      app.all('*', (c) => c.text('')).onError((error, c) => c.text(error.message, 403))
      return app.request(path, { headers: { origin, host: 'localhost' } })
    }
    expect((await ask({ allow_origins: [origin] })).status).toBe(200)
    expect((await ask({ allow_origins: ['https://other.test'] })).status).toBe(403)
    expect((await ask({ allow_methods: ['GET'] })).status).toBe(403)
    expect(await (await ask(undefined)).text()).toContain('RUNYARD_ALLOWED_ORIGINS')
    expect((await ask(undefined, '/ok')).status).toBe(200)
  })
})

const EVENTS = '/threads/1/stream/events'
const LISTED: CorsConfig = { allow_origins: ['https://app.test'] }

/** A handshake; answers the status and the credentials that came through. */
async function shakeHands(
  cors: CorsConfig | undefined,
  headers: Record<string, string>,
  path = EVENTS,
) {
  const app = new Hono<AgentServerEnv>()
  app.use(guardSockets(cors))
  app.all('*', (c) => c.text(`${c.req.header('cookie')} ${c.req.header('authorization')}`))
  app.onError((error, c) => c.text(error.message, 'code' in error ? 403 : 500))
  const sent = { host: 'agents.test', cookie: 'a=1', authorization: 'Basic eDp5', ...headers }
  const response = await app.request(path, { headers: sent }, { acceptSocket: () => {} })
  return `${response.status} ${await response.text()}`
}

test.each<[string, CorsConfig | undefined, Record<string, string>]>([
  ['no page', LISTED, {}],
  ['a page of its own', LISTED, { origin: 'https://agents.test' }],
  ['a page of the proxy in front', LISTED, { origin: 'http://a.b', 'x-forwarded-host': 'a.b' }],
  [
    'an allowed page with cookies',
    { ...LISTED, allow_credentials: true },
    { origin: 'https://app.test' },
  ],
])('%s comes in with its cookies', async (_who, cors, headers) => {
  expect(await shakeHands(cors, headers)).toBe('200 a=1 Basic eDp5')
})

test.each<[string, CorsConfig | undefined]>([
  ['every page', undefined],
  ['every page, whatever it says of cookies', { allow_origins: ['*'], allow_credentials: true }],
  ['those that are listed', LISTED],
])('where CORS allows %s without cookies, one comes in without', async (_whom, cors) => {
  const origin = 'https://app.test'
  expect(await shakeHands(cors, { origin })).toBe('200 undefined undefined')
  expect(await shakeHands(cors, { origin, authorization: 'Bearer k' })).toBe(
    '200 undefined Bearer k',
  )
})

test('the refusal of a page that CORS does not allow names the setting', async () => {
  for (const origin of ['https://evil.test', 'null', 'https://agents.test.evil.test']) {
    expect(await shakeHands(LISTED, { origin })).toMatch(
      /^403 The origin .* is not allowed. List it/,
    )
  }
})

test('nothing but the events of threads takes WebSockets', async () => {
  for (const path of ['/threads/1/stream', '/ok', `${EVENTS}/x`, `/x${EVENTS}`]) {
    expect(await shakeHands(undefined, {}, path)).toMatch(/^403 No WebSockets are served here/)
  }
})
