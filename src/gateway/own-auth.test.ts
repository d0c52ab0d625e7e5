import { describe, expect, it } from 'vitest'
import { openWorld, withKey } from '../../test/support/gateway/gateway-world.ts'
import { forEachTest } from '../../test/support/running.ts'
import type { Target } from '../core/deployment/target.ts'

const world = forEachTest(openWorld)

const ask = (headers: Record<string, string> = {}) =>
  fetch(`${world.url}/agents/agent/threads`, { headers })
const status = async (headers?: Record<string, string>) => (await ask(headers)).status

function withOwnAuth(target: Target): Target {
  const [endpoint] = target.endpoints
  return { ...target, endpoints: [{ ...endpoint, hasOwnAuth: true }] }
}

const startAgent = (revision_id: string) =>
  world.startAgent(revision_id, (req, res) => res.end(req.headers.authorization ?? 'nobody'))

it('asks for no key where the project has its own auth', async () => {
  const { target } = await startAgent('with-auth')
  world.gateway.targets.set('agent', withOwnAuth(target))
  expect(await (await ask({ authorization: 'Bearer a-token-of-theirs' })).text()).toBe(
    'Bearer a-token-of-theirs',
  )
  expect(await status()).toBe(200)
})

it('asks those for a key who say to be Studio', async () => {
  const { target } = await startAgent('with-auth')
  world.gateway.targets.set('agent', withOwnAuth(target))
  expect(await status({ 'x-auth-scheme': 'langsmith' })).toBe(401)
  expect(await status({ 'x-auth-scheme': 'langsmith', ...withKey.headers })).toBe(200)
})

it('asks for a key again once a revision without its own auth has taken over', async () => {
  const { target } = await startAgent('with-auth')
  const next = await startAgent('without')
  world.gateway.targets.set('agent', withOwnAuth(target))
  world.gateway.targets.set('agent', next.target)
  expect(await status()).toBe(401)
})

it('lets a request with other credentials wait until it is known who has to ask for one', async () => {
  const { target } = await startAgent('with-auth')
  const { deployment_id, workspace_id } = target
  const begin = async (next: Target) => {
    const { promise: waits, resolve } = Promise.withResolvers<void>()
    const hold = { deployment_id, workspace_id, limitMs: 60_000, onRequest: resolve }
    world.gateway.targets.hold('agent', hold)
    const answer = status({ authorization: 'Bearer a-token-of-theirs' })
    await waits
    world.gateway.targets.set('agent', next)
    return answer
  }
  expect(await begin(withOwnAuth(target))).toBe(200)
  const keyed = await startAgent('without')
  expect(await begin(keyed.target)).toBe(401)
})

describe('a deployment that sleeps', () => {
  let wakings = 0

  /** Holds `agent`, and serves it when a request comes that may wake it. */
  async function sleep(hasOwnAuth: boolean) {
    const { target } = await startAgent('one')
    const { deployment_id, workspace_id } = target
    wakings = 0
    const onRequest = () => {
      wakings += 1
      const awake = hasOwnAuth ? withOwnAuth(target) : target
      setImmediate(() => world.gateway.targets.set('agent', awake))
    }
    const hold = { deployment_id, workspace_id, limitMs: 60_000, onRequest, hasOwnAuth }
    world.gateway.targets.hold('agent', hold)
  }

  const get = (path: string, init: RequestInit = {}) =>
    fetch(`${world.url}/agents/agent${path}`, init)
  const preflight = {
    method: 'OPTIONS',
    headers: { origin: 'http://app.test', 'access-control-request-method': 'POST' },
  }

  it('is woken by a key, and by nothing else where the gateway asks for one', async () => {
    await sleep(false)
    for (const headers of [{}, { authorization: 'Bearer made-up' }, { cookie: 'a=b' }]) {
      expect(await status(headers)).toBe(401)
    }
    expect((await get('/info')).status).toBe(401)
    expect(await (await get('/ok')).json()).toEqual({ ok: true, asleep: true })
    const allowed = await get('/threads', preflight)
    expect(allowed.status).toBe(204)
    expect(allowed.headers.get('access-control-allow-methods')).toContain('POST')
    expect(wakings).toBe(0)
    expect((await get('/info', withKey)).status).toBe(200)
    expect(wakings).toBe(1)
  })

  it('is neither woken nor kept awake by a request that says so', async () => {
    await sleep(false)
    const looks = { headers: { ...withKey.headers, 'x-runyard-wake': 'never' } }
    const refused = await get('/threads', looks)
    expect([refused.status, await refused.json()]).toEqual([
      409,
      { detail: expect.stringContaining('"agent" is asleep') },
    ])
    const glance = { headers: { ...withKey.headers, 'x-runyard-wake': 'glance' } }
    const left = await get('/threads', { ...glance, method: 'POST', body: '{}' })
    expect([left.status, left.headers.get('x-runyard-asleep')]).toEqual([204, 'true'])
    expect(wakings).toBe(0)
    expect((await get('/threads', withKey)).status).toBe(200)
    const { last_at } = world.gateway.targets.activity('agent')
    await expect.poll(() => Date.now()).toBeGreaterThan(last_at)
    expect((await get('/threads', looks)).status).toBe(200)
    expect((await get('/threads', glance)).status).toBe(200)
    expect(world.gateway.targets.activity('agent').last_at).toBe(last_at)
  })

  it('is woken by anybody where its own auth asks, but not to say that it is well', async () => {
    await sleep(true)
    expect(await (await get('/ok')).json()).toEqual({ ok: true, asleep: true })
    expect(wakings).toBe(0)
    expect(await status()).toBe(200)
    expect(wakings).toBe(1)
  })

  it('lets no more than a hundred wait of whom nothing is known', async () => {
    const { target } = await startAgent('one')
    const { deployment_id, workspace_id } = target
    let waiting = 0
    const full = Promise.withResolvers<void>()
    const onRequest = () => {
      waiting += 1
      if (waiting === 101) full.resolve()
    }
    const hold = { deployment_id, workspace_id, limitMs: 60_000, onRequest, hasOwnAuth: true }
    world.gateway.targets.hold('agent', hold)
    const answers = Array.from({ length: 101 }, () => status())
    await full.promise
    expect(await Promise.race(answers)).toBe(503)
    world.gateway.targets.set('agent', withOwnAuth(target))
    const all = await Promise.all(answers)
    expect(all.filter((one) => one === 200)).toHaveLength(100)
  })

  it('forgets who has left while it was on its way', async () => {
    const { target } = await startAgent('one')
    const { deployment_id, workspace_id } = target
    const { promise: waits, resolve: onRequest } = Promise.withResolvers<void>()
    const hold = { deployment_id, workspace_id, limitMs: 60_000, onRequest, hasOwnAuth: true }
    world.gateway.targets.hold('agent', hold)
    const leaving = new AbortController()
    const answer = get('/threads', { signal: leaving.signal })
    await waits
    leaving.abort()
    await expect(answer).rejects.toThrow('aborted')
    const { targets } = world.gateway
    await expect.poll(() => targets.activity('agent').open).toBe(0)
  })
})

it('is kept awake by those whom its own auth lets in', async () => {
  const { target } = await world.startAgent('with-auth', (req, res) => {
    res.statusCode = req.headers.authorization ? 200 : 401
    res.end()
  })
  world.gateway.targets.set('agent', withOwnAuth(target))
  const { last_at } = world.gateway.targets.activity('agent')
  await expect.poll(() => Date.now()).toBeGreaterThan(last_at)
  expect(await status()).toBe(401)
  expect((await fetch(`${world.url}/agents/agent/ok`)).status).toBe(401)
  expect(world.gateway.targets.activity('agent').last_at).toBe(last_at)
  expect(await status({ authorization: 'Bearer theirs' })).toBe(200)
  await expect.poll(() => world.gateway.targets.activity('agent').last_at).toBeGreaterThan(last_at)
})

it('remembers who asks while nothing runs', async () => {
  const { target } = await startAgent('with-auth')
  const { deployment_id, workspace_id } = target
  world.gateway.targets.set('agent', withOwnAuth(target))
  world.gateway.targets.pause('agent', { deployment_id, workspace_id })
  expect(await status()).toBe(503)
})
