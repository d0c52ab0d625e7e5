import { Hono } from 'hono'
import { expect, test } from 'vitest'
import type { CorsConfig } from '../../core/network/cors.ts'
import type { AgentServerEnv } from './caller.ts'
import { guardSockets } from './socket-door.ts'

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

test('a page that CORS does not allow is told what to do', async () => {
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
