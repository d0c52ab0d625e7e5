/** Providers that an MCP server names. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type ControlPlaneWorld,
  startControlPlane,
} from '../../../support/control-plane/control-plane.ts'
import { type ProtectedServer, startProtectedServer } from '../../../support/oauth/mcp-server.ts'
import {
  startOAuthProvider,
  type TestOAuthProvider,
} from '../../../support/oauth/oauth-provider.ts'
import { ask, giveToken } from '../../../support/oauth/oauth-world.ts'
import { Person } from '../../../support/oauth/person.ts'

let acme: TestOAuthProvider
let mcp: ProtectedServer
let world: ControlPlaneWorld
beforeEach(async () => {
  acme = await startOAuthProvider()
  mcp = await startProtectedServer(acme.url)
  world = await startControlPlane({ isReconciling: false })
})
afterEach(async () => {
  await Promise.all([acme.stop(), mcp.stop(), world.close()])
})

const discover = (mcp_server_url = mcp.url) => {
  const request = { provider_id: 'mcp', name: 'Tools', mcp_server_url }
  return world.call('POST', '/v2/auth/providers/mcp-discover', request)
}

describe('a provider that an MCP server names', () => {
  it('is found, registered at, and gives tokens', async () => {
    const { status, body } = await discover()
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        provider_id: 'mcp',
        auth_url: `${acme.url}/auth`,
        token_url: `${acme.url}/token`,
        revocation_url: `${acme.url}/token/revocation`,
        uses_pkce: true,
        is_dynamic_client: true,
        mcp_server_url: mcp.url,
      },
    })
    expect(body).not.toHaveProperty('client_secret')
    expect(await giveToken(world, { provider: 'mcp', scopes: ['read'] })).toEqual(
      expect.any(String),
    )
    world.clock.skip(3_600_000)
    const again = await ask(world, { provider: 'mcp', scopes: ['read'] })
    expect(again.status).toBe('completed')
    expect((await discover()).status).toBe(409)
  })

  it('is not answered for by another: who answers names itself', async () => {
    await discover()
    const { url } = await ask(world, { provider: 'mcp', scopes: ['read'] })
    const anna = new Person('anna')
    const back = new URL(await anna.consentUntil(url, `${world.url}/v2/auth/callback`))
    expect(back.searchParams.get('iss')).toBe(acme.url)
    back.searchParams.set('iss', 'https://evil.example.com')
    expect((await anna.open(back.href)).status).toBe(403)
    expect(acme.grants).toEqual([])
    expect((await world.call('GET', '/v2/auth/tokens')).body).toEqual([])
  })

  it('is not answered for by somebody without a name, where it promises to name itself', async () => {
    await discover()
    const { url } = await ask(world, { provider: 'mcp', scopes: ['read'] })
    const anna = new Person('anna')
    const back = new URL(await anna.consentUntil(url, `${world.url}/v2/auth/callback`))
    back.searchParams.delete('iss')
    expect((await anna.open(back.href)).status).toBe(403)
    expect(acme.grants).toEqual([])
  })

  it('names itself to an application’s own page, too, which passes that on', async () => {
    await discover()
    const hand = async (isNamed: boolean) => {
      const { url } = await ask(world, { provider: 'mcp', scopes: ['read'], user_id: undefined })
      const callback = `${world.url}/v2/auth/callback`
      const back = new URL(await new Person('anna').consentUntil(url, callback))
      const { iss, ...answer } = Object.fromEntries(back.searchParams)
      const request = { ...answer, ...(isNamed && { iss }) }
      return (await world.call('POST', '/v2/auth/callback/mcp', request)).status
    }
    expect(await hand(false)).toBe(403)
    expect(await hand(true)).toBe(200)
  })

  it.each([401, 403, 405, 410])(
    'is found behind documents that are refused with %i',
    async (status) => {
      const { origin } = new URL(mcp.url)
      mcp.absentStatus = status
      mcp.documents.clear()
      const metadata = {
        issuer: origin,
        authorization_endpoint: `${acme.url}/auth`,
        token_endpoint: `${acme.url}/token`,
        registration_endpoint: `${acme.url}/reg`,
      }
      mcp.documents.set('/.well-known/openid-configuration', metadata)
      expect((await discover()).status).toBe(200)
    },
  )

  it('is found where the server says that its metadata lies', async () => {
    const { origin } = new URL(mcp.url)
    const [metadata] = mcp.documents.values()
    mcp.documents.clear()
    mcp.documents.set('/somewhere/else', metadata)
    expect((await discover()).status).toBe(400)
    mcp.challenge = `Bearer error="invalid_token", resource_metadata="${origin}/somewhere/else"`
    expect(await discover()).toMatchObject({ status: 200, body: { auth_url: `${acme.url}/auth` } })
  })

  it.each([
    ['leads into the machine', 'http://10.0.0.7/x', 'cannot be asked'],
    ['is no address', 'x', 'it is no URL'],
    ['is that of another server', '/another', 'not in order'],
    ['is a number', '/none', 'not in order'],
  ])('is refused where what the server says %s', async (_, text, why) => {
    const { origin } = new URL(mcp.url)
    mcp.documents.set('/another', {
      resource: 'https://another.example.com/mcp',
      authorization_servers: [acme.url],
    })
    mcp.documents.set('/none', 7)
    mcp.challenge = `Bearer resource_metadata="${text.startsWith('/') ? origin + text : text}"`
    const { status, body } = await discover()
    expect({ status, detail: body.detail }).toEqual({
      status: 400,
      detail: expect.stringContaining(why),
    })
  })

  it('is asked for at the root, too, and the server itself where it names none', async () => {
    const { origin } = new URL(mcp.url)
    const [metadata] = mcp.documents.values()
    mcp.documents.clear()
    mcp.documents.set('/.well-known/oauth-protected-resource', {
      ...(metadata as object),
      resource: `${origin}/`,
    })
    expect((await discover()).status).toBe(200)
    await world.call('DELETE', '/v2/auth/providers/mcp')
    mcp.documents.clear()
    mcp.documents.set('/.well-known/oauth-authorization-server', {
      issuer: origin,
      authorization_endpoint: `${acme.url}/auth`,
      token_endpoint: `${acme.url}/token`,
      registration_endpoint: `${acme.url}/reg`,
    })
    const { status, body } = await discover()
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { token_url: `${acme.url}/token` },
    })
  })

  it.each([
    ['it has no metadata', {}, 'no authorization server metadata'],
    [
      'its endpoint lies in the machine',
      { token_endpoint: 'http://10.0.0.7/token' },
      'leads astray',
    ],
    [
      'people would be sent to a script',
      { authorization_endpoint: 'javascript:1' },
      'leads astray',
    ],
    ['it registers nobody', { registration_endpoint: undefined }, 'no registration_endpoint'],
    ['it registers elsewhere', { registration_endpoint: 'http://10.0.0.7/reg' }, 'registration_'],
    ['it knows no PKCE', { code_challenge_methods_supported: ['plain'] }, 'PKCE'],
    ['it is another’s metadata', { issuer: 'https://another.example.com' }, 'not in order'],
    ['a list is a number', { code_challenge_methods_supported: 5 }, 'challenge_methods_supported'],
    [
      'a list is an object',
      { token_endpoint_auth_methods_supported: {} },
      'auth_methods_supported',
    ],
    ['a list holds no words', { token_endpoint_auth_methods_supported: [7] }, 'supported.0'],
    ['an address is a list', { authorization_endpoint: ['https://a.example.com'] }, 'no sense'],
    ['an address is a number', { revocation_endpoint: 7 }, 'revocation_endpoint'],
    ['an address is endless', { token_endpoint: `https://a/${'a'.repeat(3000)}` }, 'no sense'],
    ['it has no token endpoint', { token_endpoint: undefined }, 'no token_endpoint'],
  ])('is refused when %s', async (_, change, why) => {
    const { origin } = new URL(mcp.url)
    mcp.documents.clear()
    const metadata = {
      issuer: origin,
      authorization_endpoint: `${acme.url}/auth`,
      token_endpoint: `${acme.url}/token`,
      registration_endpoint: `${acme.url}/reg`,
      ...change,
    }
    if (Object.keys(change).length > 0) {
      mcp.documents.set('/.well-known/oauth-authorization-server', metadata)
    }
    const { status, body } = await discover()
    expect({ status, body }).toEqual({
      status: 400,
      body: { detail: expect.stringContaining(why) },
    })
    expect((await world.call('GET', '/v2/auth/providers')).body).toEqual([])
  })

  it.each(['authorization_servers', 'token_endpoint', 'registration_endpoint'])(
    'is refused where it leads to loopback by its %s, and nothing is asked there',
    async (name) => {
      await world.close()
      // Its own address is allowed, and no other of this machine.
      world = await startControlPlane({ isReconciling: false, oauthAllow: '127.0.0.1' })
      let asked = 0
      const inner = createServer((_, response) => {
        asked++
        response.writeHead(200).end()
      })
      await new Promise<void>((resolve) => inner.listen(0, '127.0.0.2', resolve))
      const inside = `http://127.0.0.2:${(inner.address() as AddressInfo).port}`
      const { origin } = new URL(mcp.url)
      if (name === 'authorization_servers') {
        const document = { resource: mcp.url, authorization_servers: [inside] }
        mcp.documents.set('/.well-known/oauth-protected-resource/mcp', document)
      } else {
        mcp.documents.clear()
        mcp.documents.set('/.well-known/oauth-authorization-server', {
          issuer: origin,
          authorization_endpoint: `${acme.url}/auth`,
          token_endpoint: `${acme.url}/token`,
          registration_endpoint: `${acme.url}/reg`,
          [name]: `${inside}/x`,
        })
      }
      const { status, body } = await discover()
      expect({ status, body }).toMatchObject({ status: 400 })
      expect(body.detail).toContain('127.0.0.2 is not a public address')
      expect(asked).toBe(0)
      await new Promise((resolve) => inner.close(resolve))
    },
  )

  it('is refused when the server names one on the inside, or is down', async () => {
    mcp.documents.set('/.well-known/oauth-protected-resource/mcp', {
      resource: mcp.url,
      authorization_servers: ['https://169.254.169.254'],
    })
    const { status, body } = await discover()
    expect({ status, body }).toMatchObject({ status: 400 })
    expect(body.detail).toContain('169.254.169.254 is not a public address')
    await mcp.stop()
    expect((await discover()).status).toBe(400)
  })
})
