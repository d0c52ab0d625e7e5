/** Who wants another's token, or a request to where they may not go. */
import { describe, expect, it } from 'vitest'
import { withoutLink } from '../../../../src/control-plane/oauth/consent/callback-routes.ts'
import { startControlPlane } from '../../../support/control-plane/control-plane.ts'
import { startOAuthProvider } from '../../../support/oauth/oauth-provider.ts'
import { addProvider, ask } from '../../../support/oauth/oauth-world.ts'
import { Person } from '../../../support/oauth/person.ts'
import { forAllTests, forEachTest } from '../../../support/running.ts'

const acme = forAllTests(startOAuthProvider)
const world = forEachTest(() => startControlPlane({ isReconciling: false }))

const callbackOf = (slug = 'acme') => `${world.url}/v2/auth/callback/${slug}`

/** Anna has consented, and stands before the callback. */
async function beforeCallback(change: Record<string, unknown> = {}) {
  const anna = new Person('anna')
  const { url } = await ask(world, change)
  return { anna, link: url, back: new URL(await anna.consentUntil(url, callbackOf())) }
}

async function hasNoToken(): Promise<void> {
  expect((await world.call('GET', '/v2/auth/tokens')).body).toEqual([])
}

describe('the callback of a browser', () => {
  it('knows no forged state', async () => {
    await addProvider(world, acme)
    const { anna, back } = await beforeCallback()
    for (const state of ['forged', '']) {
      back.searchParams.set('state', state)
      expect((await anna.open(back.href)).status).toBe(404)
    }
    const told = await world.call('GET', back.href, undefined, null)
    expect(told.body).toEqual({ detail: expect.stringContaining('This consent was not begun') })
    back.searchParams.delete('state')
    expect((await anna.open(back.href)).status).toBe(404)
    await hasNoToken()
  })

  it('takes a state once', async () => {
    await addProvider(world, acme)
    const { anna, back } = await beforeCallback()
    expect((await anna.open(back.href)).status).toBe(200)
    const replayed = await anna.open(back.href)
    expect(replayed.status).toBe(409)
    expect(replayed.text).not.toContain('Try again')
    expect((await world.call('GET', '/v2/auth/tokens')).body).toHaveLength(1)
  })

  it('is not taken from a browser that did not open the link', async () => {
    await addProvider(world, acme)
    const { anna, back } = await beforeCallback()
    const victim = new Person('victim')
    const refused = await victim.open(back.href)
    expect(refused.status).toBe(403)
    expect(refused.text).not.toContain('/v2/auth/start/')
    const { url } = await ask(world, { user_id: 'victim' })
    await victim.consentUntil(url, callbackOf())
    expect((await victim.open(back.href)).status).toBe(403)
    await hasNoToken()
    expect((await anna.open(back.href)).status).toBe(200)
  })

  it('is not taken with another user’s key or a key of another workspace', async () => {
    await addProvider(world, acme)
    const { anna, back } = await beforeCallback()
    const path = back.pathname + back.search
    expect((await world.call('GET', path, undefined, await world.keyOf('admin'))).status).toBe(403)
    expect((await world.call('GET', path, undefined, 'nobody’s'.replace('’', ''))).status).toBe(401)
    await hasNoToken()
    expect((await anna.open(back.href)).status).toBe(200)
  })

  it.each([
    ['with PKCE', { uses_pkce: true }, ['read']],
    ['with PKCE, which is sent by default', { uses_pkce: undefined }, ['read']],
    ['by the nonce of the id token', { uses_pkce: false }, ['openid', 'read']],
  ])('takes no code of another consent: %s', async (_, change, scopes) => {
    await addProvider(world, acme, change)
    const mallory = new Person('mallory')
    const { url } = await ask(world, { user_id: 'mallory', scopes })
    const back = new URL(await mallory.consentUntil(url, callbackOf()))
    const { back: stolen } = await beforeCallback({ scopes })
    back.searchParams.set('code', stolen.searchParams.get('code') ?? '')
    expect((await mallory.open(back.href)).status).toBeGreaterThanOrEqual(400)
    await hasNoToken()
  })

  it('takes no answer of one provider for another’s', async () => {
    await addProvider(world, acme)
    const evil = await startOAuthProvider()
    await addProvider(world, evil, { provider_id: 'evil' })
    const { anna, back } = await beforeCallback()
    const mixed = new URL(back.href)
    mixed.pathname = '/v2/auth/callback/evil'
    const { url } = await ask(world, { provider: 'evil' })
    await anna.consentUntil(url, callbackOf('evil'))
    expect((await anna.open(mixed.href)).status).toBe(403)
    expect(evil.grants).toEqual([])
    expect((await anna.open(back.href)).status).toBe(200)
    await evil.stop()
  })

  it('takes nothing for a provider that was made anew, and nothing that is too old', async () => {
    await addProvider(world, acme)
    const old = await beforeCallback()
    await world.call('DELETE', '/v2/auth/providers/acme')
    await addProvider(world, acme)
    expect((await old.anna.open(old.back.href)).status).toBe(404)
    const late = await beforeCallback()
    world.clock.skip(25 * 3_600_000)
    expect((await late.anna.open(late.back.href)).status).toBe(410)
    expect((await late.anna.open(late.link)).status).toBe(410)
    await hasNoToken()
  })

  it('shows what it is told as text, on a page that runs and loads nothing', async () => {
    await addProvider(world, acme, { name: '<script>alert(1)</script>' })
    const { anna, back } = await beforeCallback()
    const { text, headers } = await anna.open(back.href)
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt; is connected')
    expect(text).not.toContain('<script')
    expect(headers?.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-/,
    )
    expect(headers?.get('cache-control')).toBe('no-store')
    expect(headers?.get('referrer-policy')).toBe('no-referrer')
  })
})

describe('the link', () => {
  it('says who asks for what, and sets no cookie before the person continues', async () => {
    await addProvider(world, acme)
    const { url } = await ask(world, { user_id: '<anna>' })
    const { status, text, headers } = await new Person('anna').open(url)
    expect(status).toBe(200)
    for (const fact of ['admin', 'Default', '&lt;anna&gt;', 'Acme', 'openid, read', 'Continue']) {
      expect(text).toContain(fact)
    }
    expect(headers?.getSetCookie()).toEqual([])
    expect(headers?.get('content-security-policy')).toContain("frame-ancestors 'none'")
  })

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example.com' }],
    ['another site over plain HTTP', { origin: 'https://evil.example.com' }],
    ['a page without a name', { origin: 'null' }],
    ['nowhere', {}],
  ])('is not followed by a form of %s', async (_, headers: Record<string, string>) => {
    await addProvider(world, acme)
    const { url } = await ask(world)
    const sent = await fetch(url, { method: 'POST', headers, redirect: 'manual' })
    expect(sent.status).toBe(403)
    expect(sent.headers.getSetCookie()).toEqual([])
    await sent.body?.cancel()
  })

  it('is good for the browser that continued last alone', async () => {
    await addProvider(world, acme)
    const { url } = await ask(world, { scopes: ['read'] })
    const [mallory, anna] = [new Person('mallory'), new Person('anna')]
    const first = await mallory.consentUntil(url, callbackOf())
    const second = await anna.consentUntil(url, callbackOf())
    expect((await mallory.open(first)).status).toBe(404)
    expect((await mallory.open(second)).status).toBe(403)
    expect((await anna.open(second)).status).toBe(200)
  })

  it('is in no audit log, and in no path that logs and traces show', async () => {
    await addProvider(world, acme)
    const { auth_id, url } = await ask(world)
    await new Person('anna').consent(url)
    const { body } = await world.call('GET', '/v2/audit-log')
    expect(JSON.stringify(body)).toContain('oauth_consent.complete')
    expect(JSON.stringify(body)).not.toContain(auth_id)
    const shown = [`/v2/auth/start/${auth_id}`, `/api-host/v2/auth/wait/${auth_id}`]
    expect(shown.map(withoutLink)).toEqual([
      '/v2/auth/start/{auth_id}',
      '/api-host/v2/auth/wait/{auth_id}',
    ])
  })
})

describe('the callback of an application’s own page', () => {
  const page = 'https://app.example.com/back'

  async function beforePage(key?: string) {
    await addProvider(
      world,
      { ...acme, clientFor: (_, change) => acme.clientFor(page, change) },
      {
        allowed_redirect_uris: [page],
        default_redirect_uri: page,
      },
    )
    const { url } = await ask(world, {}, key)
    const back = new URL(await new Person('anna').consentUntil(url, page))
    return Object.fromEntries(back.searchParams)
  }

  it('is taken from who began it, and from nobody else', async () => {
    const key = await world.keyOf('agent')
    const { code, state } = await beforePage(key)
    const hand = (body: object, by?: string) =>
      world.call('POST', '/v2/auth/callback/acme', { user_id: 'anna', ...body }, by)
    expect((await hand({ code, state })).status).toBe(403)
    expect((await hand({ code, state }, await world.keyOf('agent'))).status).toBe(403)
    expect((await hand({ code, state: 'forged' }, key)).status).toBe(404)
    expect((await hand({ code }, key)).status).toBe(422)
    const taken = await hand({ code, state }, key)
    expect(taken).toMatchObject({ status: 200, body: { status: 'completed' } })
    expect((await hand({ code, state }, key)).status).toBe(409)
    expect(await ask(world, {}, key)).toMatchObject({ status: 'completed' })
  })

  it('is taken for the end user who is logged in there, and the application says who that is', async () => {
    const { code, state } = await beforePage()
    const hand = (user_id?: string) =>
      world.call('POST', '/v2/auth/callback/acme', { code, state, user_id })
    const silent = await hand()
    expect({ status: silent.status, loc: silent.body.detail[0].loc }).toEqual({
      status: 422,
      loc: ['body', 'user_id'],
    })
    const path = `/v2/auth/callback/acme?code=${code}&state=${state}`
    expect((await world.call('GET', path)).status).toBe(422)
    expect((await hand('mallory')).status).toBe(403)
    await hasNoToken()
    expect((await hand('anna')).status).toBe(200)
  })

  it.each(['https://evil.example.com/back', `${page}/more`, `${page}?x=1`, 'javascript:alert(1)'])(
    'is none of somebody else’s: %s',
    async (redirect_uri) => {
      await addProvider(world, acme, { allowed_redirect_uris: [page] })
      const request = { provider: 'acme', scopes: ['read'], redirect_uri }
      const { status, body } = await world.call('POST', '/v2/auth/authenticate', request)
      expect(status).toBe(422)
      expect(body.detail[0].loc).toEqual(['body', 'redirect_uri'])
    },
  )
})

it('a provider of another workspace is not there', async () => {
  await addProvider(world, acme)
  const { id } = (await world.call('POST', '/v2/workspaces', { name: 'Red' })).body
  const red = await world.keyOf('admin', id)
  const request = { provider: 'acme', scopes: ['read'] }
  expect((await world.call('POST', '/v2/auth/authenticate', request, red)).status).toBe(404)
  for (const method of ['GET', 'DELETE']) {
    const { status } = await world.call(method, '/v2/auth/providers/acme', undefined, red)
    expect(status).toBe(404)
  }
  const { auth_id } = await ask(world)
  const waited = await world.call('GET', `/v2/auth/wait/${auth_id}`, undefined, red)
  expect(waited.body).toEqual({ status: 'not_found' })
})

describe('addresses that are nobody’s business', () => {
  const strict = forEachTest(() =>
    startControlPlane({ isReconciling: false, oauthAllow: '192.0.2.1' }),
  )

  it.each([
    ['token_url', 'http://127.0.0.1/token'],
    ['token_url', 'http://provider.example.com/token#part'],
    ['token_url', 'https://169.254.169.254/token'],
    ['token_url', 'https://localhost/token'],
    ['token_url', 'https://user:pass@provider.example.com/token'],
    ['token_url', 'file:///etc/passwd'],
    ['revocation_url', 'https://[::1]/revoke'],
    ['auth_url', 'javascript:alert(1)'],
  ])('are refused as %s: %s', async (name, url) => {
    const good = 'https://provider.example.com'
    const request = {
      provider_id: 'acme',
      name: 'Acme',
      client_id: 'c',
      auth_url: `${good}/auth`,
      token_url: `${good}/token`,
      [name]: url,
    }
    const { status, body } = await strict.call('POST', '/v2/auth/providers', request)
    expect({ status, loc: body.detail[0].loc }).toEqual({ status: 422, loc: ['body', name] })
  })

  it('are refused as an MCP server', async () => {
    const request = { provider_id: 'mcp', name: 'MCP', mcp_server_url: `${acme.url}/mcp` }
    const { status } = await strict.call('POST', '/v2/auth/providers/mcp-discover', request)
    expect(status).toBe(422)
  })
})
