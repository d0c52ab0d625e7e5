/** Refresh: before the end, once however many ask, never in a loop. */
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newKey } from '../../../../src/core/people/api-key.ts'
import {
  type ControlPlaneWorld,
  startControlPlane,
} from '../../../support/control-plane/control-plane.ts'
import {
  type Interference,
  startOAuthProvider,
  type TestOAuthProvider,
  type TestOAuthProviderOptions,
} from '../../../support/oauth/oauth-provider.ts'
import { addProvider, ask, giveToken } from '../../../support/oauth/oauth-world.ts'
import { Person } from '../../../support/oauth/person.ts'
import { freshPostgres } from '../../../support/postgres/postgres.ts'

const HOUR_MS = 3_600_000

let acme: TestOAuthProvider
let worlds: ControlPlaneWorld[]
beforeEach(() => {
  worlds = []
})
afterEach(async () => {
  await Promise.all(worlds.map((world) => world.close()))
  await acme.stop()
})

/** So many servers on one database; Anna's token is there. */
async function begin(servers = 1, options: TestOAuthProviderOptions & { claimMs?: number } = {}) {
  acme = await startOAuthProvider(options)
  const claim = options.claimMs === undefined ? {} : { claimMs: options.claimMs }
  const shared = servers > 1 ? { database: await sharedDatabase() } : {}
  for (let i = 0; i < servers; i++) {
    worlds.push(await startControlPlane({ isReconciling: false, ...shared, ...claim }))
  }
  const world = worlds[0] as ControlPlaneWorld
  await addProvider(world, acme)
  return { world, token: await giveToken(world) }
}

async function sharedDatabase() {
  const url = await freshPostgres()
  return { url, encryptionKey: randomBytes(32), adminKey: newKey() }
}

function skip(ms: number): void {
  for (const world of worlds) world.clock.skip(ms)
}

const refreshes = () => acme.grants.filter((grant) => grant === 'refresh_token').length

const refusing: Interference = (request, response) => {
  if (request.url !== '/token') return false
  response.writeHead(400, { 'content-type': 'application/json' })
  response.end('{"error":"invalid_grant"}')
  return true
}

const QUESTION = { provider: 'acme', scopes: ['read'], user_id: 'anna' }

/** The provider answers the next refresh when it is released: with `late` and `late too`. */
function holdRefresh() {
  const held = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  acme.interfere((request, response) => {
    if (request.url !== '/token') return false
    acme.interfere(undefined)
    reached.resolve()
    void held.promise.then(() => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{"access_token":"late","token_type":"bearer","refresh_token":"late too"}')
    })
    return true
  })
  return { reached: reached.promise, release: held.resolve }
}

interface Answer {
  status: number
  headers?: object
  [field: string]: unknown
}

/** The provider answers every refresh so; how often it was asked. */
function answerWith({ status, headers = {}, ...body }: Answer) {
  let asked = 0
  acme.interfere((request, response) => {
    if (request.url !== '/token') return false
    asked++
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
    return true
  })
  return () => asked
}

describe('a token that has run out', () => {
  it('is refreshed a minute before, again and again, with rotating refresh tokens', async () => {
    const { world, token } = await begin()
    skip(HOUR_MS - 120_000)
    expect((await ask(world)).token).toBe(token)
    const tokens = [token]
    for (let i = 0; i < 3; i++) {
      skip(i === 0 ? 61_000 : HOUR_MS)
      tokens.push((await ask(world)).token)
    }
    expect(new Set(tokens).size).toBe(4)
    expect(refreshes()).toBe(3)
    const { body: events } = await world.call('GET', '/v2/auth/token-events?limit=2')
    expect(events).toMatchObject([
      { event_type: 'token_refreshed' },
      { event_type: 'token_refreshed' },
    ])
  })

  it.each([1, 3])(
    'is refreshed exactly once when 1,000 ask at once, on %i servers',
    async (servers) => {
      // Nobody takes the token over from a server that has a thousand to answer.
      const { token } = await begin(servers, { claimMs: 600_000 })
      skip(HOUR_MS)
      const asked = Array.from({ length: 1000 }, (_, i) =>
        ask(worlds[i % servers] as ControlPlaneWorld),
      )
      const answers = new Set((await Promise.all(asked)).map((answer) => answer.token))
      expect(answers.size).toBe(1)
      expect(answers.has(token)).toBe(false)
      expect(refreshes()).toBe(1)
    },
  )

  it('is asked for again when its provider refuses, and the provider is left alone', async () => {
    const { world } = await begin()
    skip(HOUR_MS)
    let refusals = 0
    acme.interfere((request, response) => {
      const isTaken = refusing(request, response)
      if (isTaken) refusals++
      return isTaken
    })
    const expired = await ask(world)
    expect(expired).toMatchObject({ status: 'token_expired', url: expect.any(String) })
    expect(expired).not.toHaveProperty('token')
    expect(await ask(world)).toEqual(expired)
    expect(refusals).toBe(1)
    const { body: events } = await world.call('GET', '/v2/auth/token-events?limit=1')
    expect(events).toMatchObject([{ event_type: 'token_expired', source: 'refresh' }])
    const exists = await world.call('GET', '/v2/auth/tokens/exists?provider_id=acme')
    expect(exists.body).toEqual({ has_token: false })
    acme.interfere(undefined)
    await new Person('anna').consent(expired.url)
    expect(await ask(world)).toMatchObject({ status: 'completed' })
    expect((await world.call('GET', '/v2/auth/tokens')).body).toHaveLength(1)
  })

  it('is kept while its provider does not answer, which is asked again only later', async () => {
    const { world, token } = await begin()
    let asked = 0
    acme.interfere((request, response) => {
      if (request.url !== '/token') return false
      asked++
      response.writeHead(503).end('busy')
      return true
    })
    skip(HOUR_MS - 30_000)
    expect((await ask(world)).token).toBe(token)
    expect((await ask(world)).token).toBe(token)
    expect(asked).toBe(1)
    skip(31_000)
    const refused = await world.call('POST', '/v2/auth/authenticate', QUESTION)
    expect(refused).toMatchObject({ status: 503 })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await world.call('POST', '/v2/auth/authenticate', QUESTION)).status).toBe(503)
    expect(asked).toBe(2)
    acme.interfere(undefined)
    skip(5_000)
    expect((await world.call('POST', '/v2/auth/authenticate', QUESTION)).status).toBe(503)
    skip(5_000)
    expect(await ask(world)).toMatchObject({ status: 'completed' })
  })

  it('is refreshed by another when a server dies between the answer and the write', async () => {
    const { world, token } = await begin(2, { isRotating: false, claimMs: 300 })
    const other = worlds[1] as ControlPlaneWorld
    skip(HOUR_MS)
    world.faults.beforeTransaction = () => {
      throw new Error('killed')
    }
    expect((await world.call('POST', '/v2/auth/authenticate', QUESTION)).status).toBe(500)
    expect((await ask(other)).token).not.toBe(token)
    expect(refreshes()).toBe(2)
  })

  it('is not found any more when it was deleted while it was refreshed, and given back', async () => {
    const { world } = await begin()
    skip(HOUR_MS)
    const [{ id }] = (await world.call('GET', '/v2/auth/tokens')).body
    const { reached, release } = holdRefresh()
    const asking = world.call('POST', '/v2/auth/authenticate', QUESTION)
    await reached
    expect((await world.call('DELETE', `/v2/auth/tokens/${id}`)).status).toBe(204)
    release()
    expect((await asking).status).toBe(404)
    expect(acme.revocations).toBe(4)
  })

  it.each([{ provider_account_label: 'work' }, { is_default: true }])(
    'keeps the new refresh token when it gets %j while it is refreshed',
    async (request) => {
      const { world } = await begin()
      skip(HOUR_MS)
      const [{ id }] = (await world.call('GET', '/v2/auth/tokens')).body
      const { reached, release } = holdRefresh()
      const asking = ask(world)
      await reached
      await world.call('PATCH', `/v2/auth/tokens/${id}/metadata`, request)
      release()
      expect(await asking).toMatchObject({ status: 'completed', token: 'late' })
      const kept = await world.store.oauth.tokens.get(id)
      expect(kept).toMatchObject({ ...request, refresh_token: 'late too' })
    },
  )

  it('keeps a grant that came after the claim had run out', async () => {
    const { world } = await begin(1, { claimMs: 50 })
    skip(HOUR_MS)
    const [{ id }] = (await world.call('GET', '/v2/auth/tokens')).body
    const { reached, release } = holdRefresh()
    const asking = ask(world)
    await reached
    const claim = { id, version: 1, holder: 'another server', forMs: 60_000 }
    await expect.poll(() => world.store.oauth.tokens.claimRefresh(claim)).toBe(true)
    release()
    expect((await asking).token).toBe('late')
    expect(await world.store.oauth.tokens.get(id)).toMatchObject({ refresh_token: 'late too' })
  })

  it('gives back a grant when a newer one was kept meanwhile', async () => {
    const { world } = await begin()
    skip(HOUR_MS)
    const [{ id }] = (await world.call('GET', '/v2/auth/tokens')).body
    const { reached, release } = holdRefresh()
    const asking = ask(world)
    await reached
    const newer = { access_token: 'newer', refresh_token: 'newer too', expires_at: null }
    await world.store.oauth.tokens.update(id, newer)
    release()
    expect((await asking).token).toBe('newer')
    expect(acme.revocations).toBe(2)
  })

  it.each([
    { status: 401, error: 'invalid_client' },
    { status: 401, error: 'invalid_client', headers: { 'www-authenticate': 'Basic realm="x"' } },
    { status: 403, error: 'rate_limited' },
    { status: 400, error: 'server_error' },
  ])('is kept when its provider refuses for another reason: $error', async (refusal) => {
    const { world } = await begin()
    skip(HOUR_MS)
    const asked = answerWith(refusal)
    for (let i = 0; i < 3; i++) {
      expect((await world.call('POST', '/v2/auth/authenticate', QUESTION)).status).toBe(503)
    }
    expect(asked()).toBe(1)
    const { body: events } = await world.call('GET', '/v2/auth/token-events?limit=1')
    const reason = `Acme refuses: ${refusal.error}.`
    expect(events).toMatchObject([{ event_type: 'token_refresh_failed', reason }])
    acme.interfere(undefined)
    skip(5_001)
    expect(await ask(world)).toMatchObject({ status: 'completed' })
  })

  it('is refreshed at once when the secret of its provider was corrected', async () => {
    const { world } = await begin()
    skip(HOUR_MS)
    answerWith({ status: 401, error: 'invalid_client' })
    expect((await world.call('POST', '/v2/auth/authenticate', QUESTION)).status).toBe(503)
    acme.interfere(undefined)
    expect((await world.call('POST', '/v2/auth/authenticate', QUESTION)).status).toBe(503)
    const { client_secret } = acme.clientFor('https://app.example.com')
    expect((await world.call('PATCH', '/v2/auth/providers/acme', { client_secret })).status).toBe(
      200,
    )
    expect(await ask(world)).toMatchObject({ status: 'completed' })
  })

  it('is kept alive when nobody asks for it, once a week', async () => {
    const { world, token } = await begin()
    skip(6 * 24 * HOUR_MS)
    await world.upkeep.work()
    expect(refreshes()).toBe(0)
    skip(24 * HOUR_MS + 1_000)
    await world.upkeep.work()
    await world.upkeep.work()
    expect(refreshes()).toBe(1)
    expect((await ask(world)).token).not.toBe(token)
    expect(refreshes()).toBe(1)
  })

  it('is left alone by the upkeep when its provider has failed five times in a row', async () => {
    const { world } = await begin()
    skip(8 * 24 * HOUR_MS)
    const asked = answerWith({ status: 401, error: 'invalid_client' })
    for (let i = 0; i < 8; i++) {
      await world.upkeep.work()
      skip(HOUR_MS)
    }
    expect(asked()).toBe(5)
    acme.interfere(undefined)
    expect(await ask(world)).toMatchObject({ status: 'completed' })
  })

  it.each([
    { status: 401, error: 'invalid_grant', headers: { 'www-authenticate': 'Basic realm="x"' } },
    { status: 200, error: 'bad_refresh_token' },
    { status: 400, error: 'token_revoked' },
    { status: 400, error: 'invalid_refresh_token' },
    { status: 400, error: 'interaction_required' },
    { status: 400, error: 'login_required' },
    { status: 400, error: 'consent_required' },
  ])('has ended when its provider refuses it: $error', async (refusal) => {
    const { world } = await begin()
    skip(HOUR_MS)
    answerWith(refusal)
    expect(await ask(world)).toMatchObject({ status: 'token_expired' })
  })

  it.each(['x', `e30.${Buffer.from('{"aud":"another"}').toString('base64url')}.`])(
    'is refreshed whatever id token comes with it (%s)',
    async (id_token) => {
      const { world } = await begin()
      skip(HOUR_MS)
      const [{ id }] = (await world.call('GET', '/v2/auth/tokens')).body
      const answer = { access_token: 'new', refresh_token: 'rotated', token_type: 'bearer' }
      answerWith({ status: 200, id_token, ...answer })
      expect((await ask(world)).token).toBe('new')
      expect(await world.store.oauth.tokens.get(id)).toMatchObject({ refresh_token: 'rotated' })
    },
  )

  it('is not held up when what its provider gave could not be stored', async () => {
    const { world } = await begin(1, { isRotating: false })
    skip(HOUR_MS)
    let left = 3
    world.faults.beforeTransaction = () => {
      if (left-- > 0) throw new Error('The disk is full.')
    }
    expect((await world.call('POST', '/v2/auth/authenticate', QUESTION)).status).toBe(500)
    skip(5_001)
    expect(await ask(world)).toMatchObject({ status: 'completed' })
  })

  it('is not refreshed again at once when the new one has no time to live', async () => {
    const { world } = await begin()
    skip(HOUR_MS)
    const answer = { access_token: 'short', token_type: 'bearer', expires_in: 0 }
    const asked = answerWith({ status: 200, ...answer })
    for (let i = 0; i < 3; i++) expect((await ask(world)).token).toBe('short')
    expect(asked()).toBe(1)
    skip(5_001)
    await ask(world)
    expect(asked()).toBe(2)
  })
})
