/** What an id token has to say, where a provider sends one. */
import { describe, expect, it } from 'vitest'
import { startControlPlane } from '../../../support/control-plane/control-plane.ts'
import { startProtectedServer } from '../../../support/oauth/mcp-server.ts'
import { startOAuthProvider } from '../../../support/oauth/oauth-provider.ts'
import { ask } from '../../../support/oauth/oauth-world.ts'
import { Person } from '../../../support/oauth/person.ts'
import { forEachTest } from '../../../support/running.ts'

const acme = forEachTest(startOAuthProvider)
const mcp = forEachTest(() => startProtectedServer(acme.url))
const world = forEachTest(() => startControlPlane({ isReconciling: false }))

/** The provider is known with its issuer; Anna comes back, and its answer has these claims. */
async function comeBackWith(change: Record<string, unknown>) {
  const request = { provider_id: 'mcp', name: 'Tools', mcp_server_url: mcp.url }
  await world.call('POST', '/v2/auth/providers/mcp-discover', request)
  const { client_id: aud } = (await world.call('GET', '/v2/auth/providers/mcp')).body
  const anna = new Person('anna')
  const { url } = await ask(world, { provider: 'mcp' })
  const sent = new URL(await anna.begin(url, acme.url)).searchParams
  const exp = Math.floor(world.clock.now() / 1000) + 60
  const claims = { iss: acme.url, aud, exp, nonce: sent.get('nonce'), sub: 'anna', ...change }
  acme.interfere((asked, response) => {
    if (asked.url !== '/token') return false
    const payload = Buffer.from(JSON.stringify(claims)).toString('base64url')
    const id_token = `e30.${payload}.`
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ access_token: 'a', token_type: 'bearer', id_token }))
    return true
  })
  const back = new URL(sent.get('redirect_uri') ?? '')
  back.search = new URLSearchParams({
    ...{ code: 'code', iss: acme.url },
    state: sent.get('state') ?? '',
  }).toString()
  return anna.open(back.href)
}

describe('an id token', () => {
  it('tells whose account it is', async () => {
    expect((await comeBackWith({})).status).toBe(200)
    const { body } = await world.call('GET', '/v2/auth/tokens')
    expect(body).toMatchObject([{ provider_account_label: 'anna' }])
  })

  it('may have run out a moment ago: clocks differ', async () => {
    const exp = Math.floor(Date.now() / 1000) - 30
    expect((await comeBackWith({ exp })).status).toBe(200)
  })

  it.each([
    ['comes from another provider', { iss: 'https://evil.example.com' }],
    ['does not say where it comes from', { iss: undefined }],
    ['has run out', { exp: 1_700_000_000 }],
    ['is meant for another client', { aud: 'another' }],
    ['belongs to another consent', { nonce: 'another' }],
  ])('is refused that %s', async (_, change) => {
    expect((await comeBackWith(change)).status).toBe(403)
    expect((await world.call('GET', '/v2/auth/tokens')).body).toEqual([])
  })
})
