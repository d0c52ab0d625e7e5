/** Pages of other origins may read as much of the gateway's refusals as of the agent server's answers. */
import { beforeAll, expect, test } from 'vitest'
import { startAgentServer } from '../../test/support/agent/agent-server.ts'
import { KEY, openWorld } from '../../test/support/gateway/gateway-world.ts'
import { forAllTests } from '../../test/support/running.ts'
import type { CorsConfig } from '../core/network/cors.ts'
import { DEFAULT_WORKSPACE_ID } from '../core/people/api-key.ts'

const CORS: CorsConfig = {
  allow_origins: ['https://app.test'],
  allow_origin_regex: 'https://[a-z]+\\.preview\\.test',
  allow_credentials: true,
  allow_methods: ['GET', 'POST'],
  allow_headers: ['x-team-name'],
  expose_headers: ['x-by'],
  max_age: 60,
}
const key = { headers: { 'x-api-key': KEY } }
const PLACE = { deployment_id: 'd', workspace_id: DEFAULT_WORKSPACE_ID, revision_id: 'r' }

const world = forAllTests(() => openWorld({ restartWaitMs: 100 }))
const plain = forAllTests(startAgentServer)
const strict = forAllTests(() =>
  startAgentServer({ projectName: 'routes', configName: 'prefixed.json' }),
)
beforeAll(async () => {
  const { targets } = world.gateway
  targets.set('plain', { ...PLACE, endpoints: [{ url: plain.url, token: '' }] })
  targets.set('strict', { ...PLACE, endpoints: [{ url: strict.url, token: '', cors: CORS }] })
})

/** The status, and the headers about origins. */
async function ask(path: string, origin: string, init: RequestInit = {}) {
  const headers = { origin, ...(init.headers as Record<string, string>) }
  const { status, headers: answered } = await fetch(`${world.url}/agents/${path}`, {
    ...init,
    headers,
  })
  const about = (name: string) => name.startsWith('access-control-') || name === 'vary'
  return [status, Object.fromEntries([...answered].filter(([name]) => about(name)))] as const
}

const ORIGINS = ['https://app.test', 'https://one.preview.test', 'https://evil.test']

test.each(ORIGINS)('a page of %s reads refusals where it reads answers', async (origin) => {
  for (const [name, ok] of [
    ['plain', 'ok'],
    ['strict', 'team/api/ok'],
  ]) {
    const [answered, headers] = await ask(`${name}/${ok}`, origin, key)
    expect(answered).toBe(200)
    expect(await ask(`${name}/threads`, origin)).toEqual([401, headers])
    const wrong = { headers: { 'x-api-key': 'wrong' } }
    expect(await ask(`${name}/threads`, origin, wrong)).toEqual([401, headers])
  }
  const [, anyone] = await ask('plain/ok', origin)
  expect(await ask('nobody/threads', origin)).toEqual([404, anyone])
})

test.each(ORIGINS)(
  'a deployment that is away lets pages of %s ask, and read why not',
  async (origin) => {
    const preflight = {
      method: 'OPTIONS',
      headers: {
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-team-name',
      },
    }
    const { targets } = world.gateway
    for (const [name, ok] of [
      ['plain', 'ok'],
      ['strict', 'team/api/ok'],
    ] as const) {
      const allowed = await ask(`${name}/${ok}`, origin, preflight)
      const [, headers] = await ask(`${name}/${ok}`, origin, key)
      targets.pause(name, PLACE)
      const [status, asleep] = await ask(`${name}/${ok}`, origin, preflight)
      expect([status, withoutHeaderList(asleep)]).toEqual([204, withoutHeaderList(allowed[1])])
      expect(await ask(`${name}/threads`, origin, key)).toEqual([503, headers])
      targets.set(name, {
        ...PLACE,
        endpoints: [
          name === 'plain'
            ? { url: plain.url, token: '' }
            : { url: strict.url, token: '', cors: CORS },
        ],
      })
    }
    expect((await ask('nobody/threads', origin, preflight))[0]).toBe(204)
  },
)

test('what a project says of origins harms nobody but its own pages', async () => {
  const { targets } = world.gateway
  const say = (name: string, cors: CorsConfig) =>
    targets.set(name, { ...PLACE, endpoints: [{ url: plain.url, token: '', cors }] })
  // The engine needs minutes to find that this does not match.
  say('slow', { allow_origin_regex: '(a+)+' })
  say('broken', { expose_headers: ['no\nheader'] })
  const [status, headers] = await ask('slow/threads', `${'a'.repeat(40)}!`)
  expect([status, headers]).toEqual([401, expect.not.objectContaining(NAMED)])
  await expect(ask('broken/threads', 'https://app.test')).rejects.toThrow('fetch failed')
  expect((await ask('plain/threads', 'https://app.test'))[0]).toBe(401)
})

const NAMED = { 'access-control-allow-origin': expect.anything() }

/** Caches store preflights by their address. */
function withoutHeaderList({ vary, ...headers }: Record<string, string>) {
  return headers
}
