/** Providers that an MCP server names. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ControlPlaneWorld, startControlPlane } from '../../../support/control-plane.ts'
import { type ProtectedServer, startProtectedServer } from '../../../support/mcp-server.ts'
import { startOAuthProvider, type TestOAuthProvider } from '../../../support/oauth-provider.ts'
import { ask, giveToken } from '../../../support/oauth-world.ts'
import { Person } from '../../../support/person.ts'

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
