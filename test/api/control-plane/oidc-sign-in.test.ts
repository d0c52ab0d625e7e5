/** Signing in at an OpenID Connect issuer: a real one, and a person with a browser. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '../../../src/core/people/api-key.ts'
import type { UserTokenSettings } from '../../../src/core/people/user-token.ts'
import {
  type ControlPlaneWorld,
  startControlPlane,
} from '../../support/control-plane/control-plane.ts'
import { Page } from '../../support/dashboard/page.ts'
import { startOAuthProvider, type TestOAuthProvider } from '../../support/oauth/oauth-provider.ts'
import { Person } from '../../support/oauth/person.ts'

const CALLBACK = '/v2/session/oidc/callback'
const SECRET = 'the-secret-of-the-confidential-clients'

let issuer: TestOAuthProvider
let world: ControlPlaneWorld
beforeEach(async () => {
  issuer = await startOAuthProvider()
})
afterEach(async () => {
  await world.close()
  await issuer.stop()
})

async function start(
  change: Partial<UserTokenSettings> = {},
  clientSecret?: string,
): Promise<void> {
  const settings: UserTokenSettings = {
    issuer: issuer.url,
    audience: 'https://runyard.test',
    roleClaim: 'email',
    roles: { 'anna@acme.test': 'developer', 'cleo@acme.test': 'agent' },
    workspaceClaim: undefined,
    client: { clientId: 'client-1', clientSecret, scopes: 'openid' },
    clockSkewMs: 30_000,
    ...change,
  }
  world = await startControlPlane({ isReconciling: false, userTokens: settings })
  const method = clientSecret ? 'client_secret_basic' : 'none'
  issuer.clientFor(world.url + CALLBACK, { token_endpoint_auth_method: method })
}

/** The person goes to the issuer and comes back; answers the callback's address, with what it gave. */
const throughIssuer = (person: Person, to = '') =>
  person.consentUntil(
    `${world.url}/v2/session/oidc${to && `?to=${encodeURIComponent(to)}`}`,
    world.url + CALLBACK,
  )

/** Opens the callback with this person's browser, and does not follow where it leads. */
async function comeBack(person: Person, url: string) {
  const headers = {
    cookie: person.cookiesFor(url),
    accept: 'text/html',
    'sec-fetch-site': 'cross-site',
  }
  const response = await fetch(url, { redirect: 'manual', headers })
  const page = new Page(world.url)
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value) page.cookies.set(name, value)
  }
  return {
    ...{ status: response.status, location: response.headers.get('location'), page },
    ...{ cookies: response.headers.getSetCookie(), text: await response.text() },
  }
}

describe('a person', () => {
  it.each([
    ['a public client', undefined],
    ['a client with a secret', SECRET],
  ])('signs in at the issuer, with %s, and gets the role that it says', async (_, secret) => {
    await start({}, secret)
    const { body } = await world.call('GET', '/v2/session/ways', undefined, null)
    expect(body).toEqual({ api_key: true, oidc: { issuer: issuer.url, path: '/v2/session/oidc' } })
    const anna = new Person('anna')
    const { status, location, page, cookies } = await comeBack(
      anna,
      await throughIssuer(anna, '/deployments?tab=logs'),
    )
    expect([status, location]).toEqual([302, `${world.url}/deployments?tab=logs`])
    expect(cookies.find((one) => one.startsWith('runyard_session'))).toContain('SameSite=Strict')
    expect(cookies.find((one) => one.startsWith('runyard_oidc'))).toContain(
      '=; Path=/; Expires=Thu, 01 Jan 1970',
    )
    const session = (await page.ask('/v2/session')).body
    expect(session).toMatchObject({
      kind: 'user',
      user_id: 'user:anna',
      name: 'anna@acme.test',
      role: 'developer',
      workspaces: [{ id: DEFAULT_WORKSPACE_ID, name: 'Default' }],
    })
    expect(Date.parse(session.ends_at) - Date.parse(session.created_at)).toBe(12 * 3_600_000)
    expect((await page.ask('/v2/deployments')).status).toBe(200)
    expect((await page.ask('/v2/api-keys')).status).toBe(403)
    world.clock.skip(12 * 3_600_000)
    expect((await page.ask('/v2/session')).status).toBe(401)
  })

  it('is not let in without a role here, and is told so on a page', async () => {
    await start()
    for (const name of ['bert', 'cleo']) {
      const person = new Person(name)
      const { status, text, page } = await comeBack(person, await throughIssuer(person))
      expect([name, status, text]).toEqual([name, 403, expect.stringContaining('not signed in')])
      expect(page.cookies.size).toBe(0)
    }
  })

  it('is led to a page of ours and nowhere else', async () => {
    await start()
    for (const to of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
    ]) {
      const anna = new Person('anna')
      const { location } = await comeBack(anna, await throughIssuer(anna, to))
      expect([to, location]).toEqual([to, `${world.url}/`])
    }
  })

  it('who has been removed from a workspace has no session there', async () => {
    await start()
    const anna = new Person('anna')
    const { page } = await comeBack(anna, await throughIssuer(anna))
    expect((await page.ask('/v2/session')).status).toBe(200)
    const path = `/v2/auth/tokens/workspace/users/${encodeURIComponent('user:anna')}`
    expect((await world.call('DELETE', path)).status).toBeLessThan(300)
    expect((await page.ask('/v2/session')).status).toBe(401)
  })
})

describe('what the issuer sends', () => {
  it('is good in the browser that began, once', async () => {
    await start()
    const anna = new Person('anna')
    const url = await throughIssuer(anna)
    const stranger = await comeBack(new Person('stranger'), url)
    expect([stranger.status, stranger.page.cookies.size]).toEqual([403, 0])
    expect((await comeBack(anna, url)).status).toBe(302)
    const again = await comeBack(anna, url)
    expect([again.status, again.text]).toEqual([403, expect.stringContaining('Try again')])
  })

  it('is refused with another state, without a code, and where the person said no', async () => {
    await start()
    const anna = new Person('anna')
    const url = new URL(await throughIssuer(anna))
    url.searchParams.set('state', 'forged')
    expect((await comeBack(anna, url.href)).status).toBe(403)
    const bare = await comeBack(anna, world.url + CALLBACK)
    expect(bare.status).toBe(403)
    const bert = new Person('bert')
    const denied = new URL(await throughIssuer(bert))
    denied.searchParams.delete('code')
    denied.searchParams.set('error', 'access_denied')
    const { status, text } = await comeBack(bert, denied.href)
    expect([status, text]).toEqual([403, expect.stringContaining('did not let you in')])
  })

  it('is not asked for by a link of another site, which would replace a session', async () => {
    await start()
    const headers = { 'sec-fetch-site': 'cross-site' }
    const answer = await new Page(world.url).ask('/v2/session/oidc', { headers })
    expect([answer.status, answer.headers.location]).toEqual([302, `${world.url}/sign-in`])
  })

  it('is asked for by no other host name than ours', async () => {
    await start()
    const headers = { host: 'rebound.example' }
    const answer = await new Page(world.url).ask('/v2/session/oidc', { headers })
    expect([answer.status, answer.headers.location]).toEqual([400, undefined])
  })
})

it('without an issuer there is nothing to sign in at', async () => {
  world = await startControlPlane({ isReconciling: false })
  const ways = await world.call('GET', '/v2/session/ways', undefined, null)
  expect(ways.body).toEqual({ api_key: true, oidc: null })
  expect((await world.call('GET', '/v2/session/oidc', undefined, null)).status).toBe(404)
  const { status, body } = await world.call('GET', CALLBACK, undefined, null)
  expect([status, body]).toEqual([403, expect.stringContaining('not signed in')])
})

it('an issuer that does not answer is told of, and asked again', async () => {
  await start()
  issuer.interfere((_, response) => {
    response.writeHead(500).end()
    return true
  })
  const away = await world.call('GET', '/v2/session/oidc', undefined, null)
  expect([away.status, away.body.detail]).toEqual([503, expect.stringContaining(issuer.url)])
  issuer.interfere(undefined)
  expect((await world.call('GET', '/v2/session/oidc', undefined, null)).status).toBe(302)
})

it('a signed token signs in too, for the workspaces that it names', async () => {
  await start()
  const opened = await new Page(world.url).ask('/v2/session', {
    method: 'POST',
    body: { api_key: `eyJ.${randomUUID()}.x` },
  })
  expect(opened.status).toBe(401)
})
