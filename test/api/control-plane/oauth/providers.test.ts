/** Providers, those of the operator, and the ways of some of them. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readPlatformProviders } from '../../../../src/control-plane/oauth/providers/platform-providers.ts'
import { createGuardedFetch } from '../../../../src/webhook/guarded-fetch.ts'
import {
  type ControlPlaneWorld,
  startControlPlane,
} from '../../../support/control-plane/control-plane.ts'
import { ask } from '../../../support/oauth/oauth-world.ts'
import { Person } from '../../../support/oauth/person.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const GITHUB = {
  provider_id: 'github',
  name: 'GitHub',
  client_id: 'client',
  client_secret: 'client-secret',
  auth_url: 'https://github.example.com/authorize',
  token_url: 'https://github.example.com/token',
}

let world: ControlPlaneWorld
let folder: string
const file = () => join(folder, 'providers.json')
const now = '2026-11-20T12:00:00.000Z'
const outgoing = createGuardedFetch({ allowed: [] })

beforeEach(async () => {
  folder = temporaryFolder()
  writeFileSync(file(), JSON.stringify([{ ...GITHUB, provider_id: 'shared', name: 'Shared' }]))
  const platformProviders = readPlatformProviders(file(), { outgoing, now })
  world = await startControlPlane({ isReconciling: false, platformProviders })
})
afterEach(async () => {
  await world.close()
})

describe('a provider', () => {
  it('is created, read, listed, changed and deleted; its secret is never answered', async () => {
    const created = await world.call('POST', '/v2/auth/providers', GITHUB)
    const { client_secret: _, ...rest } = GITHUB
    expect(created).toMatchObject({
      status: 200,
      body: {
        ...rest,
        organization_id: expect.any(String),
        uses_pkce: false,
        code_challenge_method: 'S256',
        provider_type: null,
        token_endpoint_auth_method: 'client_secret_post',
        is_dynamic_client: false,
        authorization_params: {},
        allowed_redirect_uris: [],
        default_redirect_uri: null,
      },
    })
    expect((await world.call('POST', '/v2/auth/providers', GITHUB)).status).toBe(409)
    expect((await world.call('GET', '/v2/auth/providers/github')).body).toEqual(created.body)
    expect((await world.call('GET', '/api-host/v2/auth/providers')).body).toEqual([created.body])
    const patch = { name: 'Our GitHub', client_secret: 'another', uses_pkce: true, auth_url: null }
    const changed = await world.call('PATCH', '/v2/auth/providers/github', patch)
    expect(changed.body).toMatchObject({ name: 'Our GitHub', uses_pkce: true, ...pick('auth_url') })
    expect(JSON.stringify([created, changed])).not.toMatch(/client-secret|another/)
    const deleted = await world.call('DELETE', '/v2/auth/providers/github')
    expect(deleted).toMatchObject({ status: 200, body: { message: 'Provider deleted' } })
    expect((await world.call('GET', '/v2/auth/providers/github')).status).toBe(404)
  })

  it.each([
    [{ provider_id: '../callback' }, 'provider_id'],
    [{ auth_url: 'nowhere' }, 'auth_url'],
    [
      { authorization_params: { redirect_uri: 'https://evil.example.com' } },
      'authorization_params',
    ],
    [{ default_redirect_uri: 'https://app.example.com' }, 'default_redirect_uri'],
    [{ allowed_redirect_uris: ['http://app.example.com'] }, 'allowed_redirect_uris'],
    [{ token_endpoint_auth_method: 'private_key_jwt' }, 'token_endpoint_auth_method'],
    [{ provider_type: 'acme' }, 'provider_type'],
  ])('is refused with %j', async (change, field) => {
    const request = { ...GITHUB, ...change }
    const { status, body } = await world.call('POST', '/v2/auth/providers', request)
    expect({ status, field: body.detail[0].loc[1] }).toEqual({ status: 422, field })
  })
})

const pick = (name: keyof typeof GITHUB) => ({ [name]: GITHUB[name] })

describe('PKCE', () => {
  const methodOf = async (method: string, path: string, request: Record<string, unknown>) =>
    (await world.call(method, path, request)).body.code_challenge_method

  it('is left out only where somebody says so, and can be brought back', async () => {
    const path = '/v2/auth/providers/github'
    expect(await methodOf('POST', '/v2/auth/providers', { ...GITHUB, uses_pkce: false })).toBeNull()
    expect(await methodOf('PATCH', path, { name: 'Mine' })).toBeNull()
    expect(await methodOf('PATCH', path, { uses_pkce: true })).toBe('S256')
    expect(await methodOf('PATCH', path, { uses_pkce: false })).toBeNull()
    expect(await methodOf('PATCH', path, { code_challenge_method: 'plain' })).toBe('plain')
    const { url } = await ask(world, { provider: 'github' })
    const sent = new URL(await new Person('anna').begin(url, GITHUB.auth_url)).searchParams
    expect(sent.get('code_challenge_method')).toBe('plain')
    expect(sent.get('code_challenge')).toMatch(/^[\w-]{43}$/)
  })

  it('is never plain for a public client', async () => {
    const plain = { code_challenge_method: 'plain' }
    const request = { ...GITHUB, ...plain, token_endpoint_auth_method: 'none' }
    const refused = await world.call('POST', '/v2/auth/providers', request)
    expect({ status: refused.status, loc: refused.body.detail[0].loc }).toEqual({
      status: 422,
      loc: ['body', 'code_challenge_method'],
    })
    await world.call('POST', '/v2/auth/providers', { ...GITHUB, client_secret: undefined })
    const changed = await world.call('PATCH', '/v2/auth/providers/github', plain)
    expect(changed.status).toBe(422)
  })
})

describe('a provider of the operator', () => {
  it('is everybody’s, and nobody’s to change; one of the workspace’s own goes before', async () => {
    const { body } = await world.call('GET', '/v2/auth/platform-providers')
    expect(body).toMatchObject([{ provider_id: 'shared', name: 'Shared' }])
    expect((await world.call('GET', '/v2/auth/providers')).body).toEqual([])
    expect((await world.call('GET', '/v2/auth/providers/shared')).body).toEqual(body[0])
    const { id } = (await world.call('POST', '/v2/workspaces', { name: 'Red' })).body
    const red = await world.keyOf('admin', id)
    expect(await ask(world, { provider: 'shared' }, red)).toMatchObject({ status: 'pending' })
    for (const method of ['PATCH', 'DELETE']) {
      const request = method === 'PATCH' ? { name: 'Mine' } : undefined
      const { status } = await world.call(method, '/v2/auth/providers/shared', request)
      expect(status).toBe(403)
    }
    await world.call('POST', '/v2/auth/providers', { ...GITHUB, provider_id: 'shared' })
    expect((await world.call('GET', '/v2/auth/platform-providers')).body).toEqual([])
    expect((await world.call('GET', '/v2/auth/providers/shared')).body.name).toBe('GitHub')
  })

  it.each([
    ['{', 'no JSON'],
    ['[{"provider_id": "x", "client_secret": "hidden"}]', '0.name'],
    [JSON.stringify([{ ...GITHUB, token_url: 'http://10.0.0.1/token' }]), 'https'],
  ])('is not taken from %s, and no secret is told', (text, why) => {
    writeFileSync(file(), text)
    const read = () => readPlatformProviders(file(), { outgoing, now })
    expect(read).toThrow(why)
    expect(read).not.toThrow('hidden')
  })
})

describe('the ways of some providers', () => {
  /** Answers any code with this. */
  async function startStandIn(answer: unknown) {
    const asked: string[] = []
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      asked.push(`${request.url} ${request.headers.authorization ?? ''} ${body}`)
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return { url, asked, stop: () => server.close() }
  }

  async function consentWith(answer: unknown, change: Record<string, unknown>) {
    const standIn = await startStandIn(answer)
    const [auth_url, token_url] = [`${standIn.url}/oauth/authorize`, `${standIn.url}/oauth/access`]
    await world.call('POST', '/v2/auth/providers', { ...GITHUB, auth_url, token_url, ...change })
    const { url } = await ask(world, { provider: 'github' })
    const anna = new Person('anna')
    const sent = new URL(await anna.begin(url, auth_url))
    const state = sent.searchParams.get('state')
    const back = `${world.url}/v2/auth/callback/github?code=c&state=${state}`
    return { seen: await anna.open(back), sent: sent.searchParams, standIn }
  }

  it('Slack: scopes of the person, their token out of the answer, and its own way back', async () => {
    const authed_user = {
      id: 'U1',
      scope: 'openid,read',
      access_token: 'xoxp-1',
      token_type: 'user',
    }
    const answer = {
      ok: true,
      access_token: 'xoxb-1',
      team: { id: 'T1', name: 'Te\0am\n' },
      authed_user,
    }
    const { seen, sent, standIn } = await consentWith(answer, { provider_type: 'slack' })
    expect(seen.status).toBe(200)
    expect(sent.get('user_scope')).toBe('openid,read')
    expect(sent.has('scope')).toBe(false)
    const done = await ask(world, { provider: 'github' })
    const metadata = { team_id: 'T1', provider_account_label: 'Team' }
    expect(done).toMatchObject({ token: 'xoxp-1', metadata })
    const exists = '/v2/auth/tokens/workspace/slack/exists'
    expect((await world.call('GET', exists)).body).toEqual({ has_token: true })
    const removed = await world.call('DELETE', '/v2/auth/tokens/workspace/slack')
    expect(removed).toMatchObject({ status: 200, body: { message: 'Deleted 1 token.' } })
    expect((await world.call('GET', exists)).body).toEqual({ has_token: false })
    expect(standIn.asked.at(-1)).toContain('/oauth/auth.revoke Bearer xoxp-1')
    standIn.stop()
  })

  it('Slack: a bot’s token is nobody’s', async () => {
    const answer = {
      ok: true,
      token_type: 'bot',
      access_token: 'xoxb-1',
      authed_user: { id: 'U1' },
    }
    const { seen, standIn } = await consentWith(answer, { provider_type: 'slack' })
    expect(seen.status).toBe(400)
    expect(seen.text).toContain('GitHub refuses: no_user_token.')
    expect((await world.call('GET', '/v2/auth/tokens')).body).toEqual([])
    standIn.stop()
  })

  it('Slack: a refusal with 200 is a refusal', async () => {
    const change = { provider_type: 'slack' }
    const { seen, standIn } = await consentWith({ ok: false, error: 'invalid_code' }, change)
    expect(seen.status).toBe(400)
    expect(seen.text).toContain('GitHub refuses: invalid_code.')
    standIn.stop()
  })

  it('Salesforce: asks for a refresh token, assumes two hours, and says where to call', async () => {
    const id = 'https://login.example.com/id/1/2'
    const instance_url = 'https://eu1.example.com'
    const answer = {
      access_token: 'sf',
      refresh_token: 'r',
      id,
      instance_url,
      token_type: 'Bearer',
    }
    const change = { provider_type: 'salesforce' }
    const { sent, standIn } = await consentWith(answer, change)
    expect(sent.get('scope')?.split(' ')).toContain('refresh_token')
    const { metadata } = await ask(world, { provider: 'github' })
    expect(metadata).toMatchObject({ instance_url })
    const lifeMs = Date.parse(metadata.expires_at) - world.clock.now()
    expect(Math.round(lifeMs / 60_000)).toBe(120)
    standIn.stop()
  })

  it('Microsoft: asks for offline access', async () => {
    const answer = { access_token: 'ms', token_type: 'Bearer', expires_in: '3600' }
    const { sent, standIn } = await consentWith(answer, { provider_type: 'microsoft' })
    expect(sent.get('scope')?.split(' ')).toContain('offline_access')
    const { metadata } = await ask(world, { provider: 'github' })
    const lifeMs = Date.parse(metadata.expires_at) - world.clock.now()
    expect(Math.round(lifeMs / 60_000)).toBe(60)
    standIn.stop()
  })

  it('GitHub: scopes separated by commas, and other names for them, are no reason to ask again', async () => {
    const answer = { access_token: 'gho', token_type: 'bearer', scope: 'read,user:email' }
    const { seen, standIn } = await consentWith(answer, {})
    expect(seen.status).toBe(200)
    expect(await ask(world, { provider: 'github' })).toMatchObject({ token: 'gho' })
    const [token] = (await world.call('GET', '/v2/auth/tokens')).body
    expect(token.scopes).toEqual(['read', 'user:email'])
    standIn.stop()
  })

  it.each([
    ['a list of scopes (Twitch)', { scope: ['openid', 'read'] }, ['openid', 'read']],
    ['no scopes, as it has permissions (apps of GitHub)', { scope: '' }, ['openid', 'read']],
    ['null for what it has not', { scope: null, expires_in: null, refresh_token: null }, undefined],
  ])('somebody answers with %s', async (_, change, scopes = ['openid', 'read']) => {
    const answer = { access_token: 'a', token_type: 'bearer', ...change }
    const { seen, standIn } = await consentWith(answer, {})
    expect(seen.status).toBe(200)
    expect(await ask(world, { provider: 'github' })).toMatchObject({ status: 'completed' })
    expect((await world.call('GET', '/v2/auth/tokens')).body).toMatchObject([{ scopes }])
    standIn.stop()
  })

  it('GitHub: somebody who has changed the app’s installation is told that all is well', async () => {
    const path = '/v2/auth/setup/github?setup_action=update&installation_id=7'
    const { status, body } = await world.call('GET', path, undefined, null)
    expect({ status, body }).toMatchObject({ status: 200, body: expect.stringContaining('set up') })
    const forged = '/v2/auth/setup/github?setup_action=install&code=c&state=forged'
    expect((await world.call('GET', forged, undefined, null)).status).toBe(404)
  })
})
