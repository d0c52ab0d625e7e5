/** From the question to the token, with a real authorization server and a person with a browser. */
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newKey } from '../../../../src/core/people/api-key.ts'
import {
  type ControlPlaneWorld,
  startControlPlane,
} from '../../../support/control-plane/control-plane.ts'
import { type Interference, startOAuthProvider } from '../../../support/oauth/oauth-provider.ts'
import * as shared from '../../../support/oauth/oauth-world.ts'
import { Person } from '../../../support/oauth/person.ts'
import { freshPostgres } from '../../../support/postgres/postgres.ts'
import { forAllTests } from '../../../support/running.ts'

let world: ControlPlaneWorld
const acme = forAllTests(startOAuthProvider)
const DATABASES = { SQLite: async () => ':memory:', PostgreSQL: freshPostgres }

async function start(findDatabase: () => Promise<string>): Promise<void> {
  const database = { url: await findDatabase(), encryptionKey: randomBytes(32), adminKey: newKey() }
  world = await startControlPlane({ isReconciling: false, database, outgoingMs: 2_000 })
}

afterEach(async () => {
  acme.interfere(undefined)
  await world.close()
})

const addProvider = (change?: Record<string, unknown>) => shared.addProvider(world, acme, change)
const ask = (change?: Record<string, unknown>, key?: string) => shared.ask(world, change, key)

describe.each(Object.entries(DATABASES))('on %s', (_, findDatabase) => {
  beforeEach(() => start(findDatabase))

  describe('asking for a token', () => {
    it.each([
      ['a confidential client with its secret in the body', {}],
      ['one that proves itself by Basic', { token_endpoint_auth_method: 'client_secret_basic' }],
      ['one without PKCE', { uses_pkce: false }],
      ['a public client', { token_endpoint_auth_method: 'none', uses_pkce: false }],
    ])('gives a link first, and the token once the person has consented: %s', async (_, change) => {
      await addProvider(change)
      const pending = await ask()
      expect(pending).toMatchObject({
        status: 'pending',
        user_id: 'anna',
        url: `${world.url}/v2/auth/start/${pending.auth_id}`,
      })
      const seen = await new Person('anna').consent(pending.url)
      expect(seen).toMatchObject({
        status: 200,
        text: expect.stringContaining('Acme is connected'),
      })
      const done = await ask()
      expect(done).toMatchObject({
        status: 'completed',
        token: expect.any(String),
        metadata: { provider_account_label: 'anna@acme.test' },
      })
      const userinfo = await fetch(`${acme.url}/me`, {
        headers: { authorization: `Bearer ${done.token}` },
      })
      expect(await userinfo.json()).toMatchObject({ sub: 'anna' })
    })

    it('asks once for the same, and gives the same link', async () => {
      await addProvider()
      const [first, second] = [await ask(), await ask()]
      expect(second.url).toBe(first.url)
      expect((await ask({ user_id: 'bert' })).url).not.toBe(first.url)
    })

    it('keeps end users apart, and callers', async () => {
      await addProvider()
      await new Person('anna').consent((await ask()).url)
      expect(await ask()).toMatchObject({ status: 'completed' })
      expect(await ask({ user_id: 'bert' })).toMatchObject({ status: 'pending' })
      const other = await world.keyOf('viewer')
      expect(await ask({}, other)).toMatchObject({ status: 'pending' })
    })

    it('asks again when more scopes are needed, for all of them', async () => {
      await addProvider()
      const anna = new Person('anna')
      await anna.consent((await ask()).url)
      const more = await ask({ scopes: ['write'] })
      expect(more.status).toBe('pending')
      await anna.consent(more.url)
      const done = await ask({ scopes: ['openid', 'read', 'write'] })
      expect(done).toMatchObject({ status: 'completed' })
      const { body: tokens } = await world.call('GET', '/v2/auth/tokens')
      expect(tokens).toHaveLength(1)
      expect(tokens[0].scopes.toSorted()).toEqual(['openid', 'read', 'write'])
    })

    it('keeps several accounts, of which the last one that was to be it is the default', async () => {
      await addProvider()
      await new Person('anna').consent((await ask()).url)
      const further = await ask({ force_new: true })
      expect(further.status).toBe('pending')
      await new Person('anna-at-work').consent(further.url)
      const third = await ask({ force_new: true, is_default: false })
      await new Person('anna-at-play').consent(third.url)
      const { body: tokens } = await world.call('GET', '/v2/auth/tokens?provider_id=acme')
      expect(
        tokens.map((one: Record<string, unknown>) => [one.provider_account_label, one.is_default]),
      ).toEqual([
        ['anna@acme.test', false],
        ['anna-at-work@acme.test', true],
        ['anna-at-play@acme.test', false],
      ])
      expect((await ask()).metadata.token_id).toBe(tokens[1].id)
      expect((await ask({ token_id: tokens[2].id })).metadata.token_id).toBe(tokens[2].id)
      await new Person('anna').consent((await ask({ force_new: true })).url)
      expect((await world.call('GET', '/v2/auth/tokens')).body).toHaveLength(3)
    })

    it('connects an agent to the account that was given for it, and asks which of several', async () => {
      await addProvider()
      await new Person('anna').consent((await ask({ agent_id: 'agent-1' })).url)
      const path = '/v2/auth/agents/agent-1/connections'
      const { data } = (await world.call('GET', path)).body
      expect(data).toMatchObject([{ agent_id: 'agent-1', provider_id: 'acme' }])
      const [{ oauth_token_id: first }] = data
      await new Person('bert').consent((await ask({ force_new: true })).url)
      expect((await ask({ agent_id: 'agent-1' })).metadata.token_id).toBe(first)
      const tokens = (await world.call('GET', '/v2/auth/tokens')).body
      for (const { id } of tokens) {
        await world.call('PATCH', `/v2/auth/tokens/${id}/metadata`, { is_default: false })
      }
      const open = await ask()
      expect(open).toMatchObject({
        status: 'connection_required',
        metadata: { accounts: [{}, {}] },
      })
      expect(open).not.toHaveProperty('token')
      const made = await world.call('POST', '/v2/auth/agents/agent-2/connections', {
        oauth_token_id: tokens[1].id,
      })
      expect(made.status).toBe(201)
      expect((await ask({ agent_id: 'agent-2' })).metadata.token_id).toBe(tokens[1].id)
      const connection = `/v2/auth/agents/agent-2/connections/${made.body.id}`
      expect((await world.call('DELETE', connection)).status).toBe(204)
      expect((await world.call('DELETE', connection)).status).toBe(404)
      expect(await ask({ agent_id: 'agent-2' })).toMatchObject({ status: 'connection_required' })
    })

    it('refuses what is not there: 404 for the provider and for another’s token', async () => {
      await addProvider()
      const request = { provider: 'nowhere', scopes: ['read'] }
      expect((await world.call('POST', '/v2/auth/authenticate', request)).status).toBe(404)
      await new Person('anna').consent((await ask()).url)
      const [{ id }] = (await world.call('GET', '/v2/auth/tokens')).body
      const other = await world.keyOf('developer')
      const named = { provider: 'acme', scopes: ['read'], user_id: 'anna', token_id: id }
      expect((await world.call('POST', '/v2/auth/authenticate', named, other)).status).toBe(404)
    })
  })

  describe('waiting for a consent', () => {
    const wait = (id: string, timeout: number, key?: string) =>
      world.call('GET', `/v2/auth/wait/${id}?timeout=${timeout}`, undefined, key)

    it('is held open until it was given, and brings the token', async () => {
      await addProvider()
      const { auth_id, url } = await ask()
      const waiting = wait(auth_id, 60)
      await new Person('anna').consent(url)
      const { status, body } = await waiting
      expect(status).toBe(200)
      expect(body).toEqual({ status: 'completed', token: (await ask()).token })
    })

    it('ends with timeout, and with 0 only looks', async () => {
      await addProvider()
      const { auth_id } = await ask()
      expect((await wait(auth_id, 1)).body).toEqual({ status: 'timeout' })
      expect((await wait(auth_id, 0)).body).toEqual({ status: 'pending' })
    })

    it('knows nothing of what is not there, of another’s, and of what was refused', async () => {
      await addProvider()
      const { auth_id, url } = await ask()
      expect((await wait('nothing', 30)).body).toEqual({ status: 'not_found' })
      const other = await world.keyOf('admin')
      expect((await wait(auth_id, 30, other)).body).toEqual({ status: 'not_found' })
      const waiting = wait(auth_id, 60)
      await new Person('anna').refuse(url)
      expect((await waiting).body).toEqual({ status: 'not_found' })
      world.clock.skip(25 * 3_600_000)
      expect((await wait(auth_id, 30)).body).toEqual({ status: 'not_found' })
    })
  })

  describe('a person who says no', () => {
    it('sees what that means, may try again, and is written down', async () => {
      await addProvider()
      const { url } = await ask()
      const anna = new Person('anna')
      const refused = await anna.refuse(url)
      expect(refused.status).toBe(200)
      expect(refused.text).toContain('Nothing was connected')
      expect(refused.text).toContain(`href="${url}"`)
      const { body: events } = await world.call('GET', '/v2/auth/token-events')
      expect(events).toMatchObject([{ event_type: 'consent_refused', provider_id: 'acme' }])
      expect((await anna.consent(url)).text).toContain('Acme is connected')
      expect(await ask()).toMatchObject({ status: 'completed' })
    })
  })

  describe('a provider that is not well', () => {
    const answerWith =
      (status: number, text: string): Interference =>
      (request, response) => {
        if (!request.url?.startsWith('/token')) return false
        response.writeHead(status, { 'content-type': 'application/json' }).end(text)
        return true
      }
    const neverAnswer: Interference = (request) => request.url?.startsWith('/token') ?? false

    it.each([
      ['is down', answerWith(502, 'Bad Gateway')],
      ['answers nonsense', answerWith(200, '{"token": 7}')],
      ['answers no JSON', answerWith(200, '<html>')],
      ['is slow', neverAnswer],
    ])('%s: the person may reload the page when it is well again', async (_, interference) => {
      await addProvider()
      const anna = new Person('anna')
      const { url } = await ask()
      const back = await anna.consentUntil(url, `${world.url}/v2/auth/callback`)
      acme.interfere(interference)
      const failed = await anna.open(back)
      expect(failed).toMatchObject({ status: 503 })
      expect(failed.text).toContain('Try again')
      acme.interfere(undefined)
      expect((await anna.open(back)).text).toContain('Acme is connected')
      expect(await ask()).toMatchObject({ status: 'completed' })
    })

    it('sends an error of its own: that is no refusal of the person’s', async () => {
      await addProvider()
      const anna = new Person('anna')
      const { url } = await ask()
      const back = new URL(await anna.consentUntil(url, `${world.url}/v2/auth/callback`))
      back.searchParams.delete('code')
      back.searchParams.set('error', 'server_error')
      const failed = await anna.open(back.href)
      expect(failed).toMatchObject({ status: 400 })
      expect(failed.text).toContain('Acme refuses: server_error.')
      const { body: events } = await world.call('GET', '/v2/auth/token-events')
      expect(events).toMatchObject([{ event_type: 'consent_failed' }])
      expect((await anna.consent(url)).text).toContain('Acme is connected')
    })

    it('says no while a code is being exchanged: the code is not refused by that', async () => {
      await addProvider()
      const anna = new Person('anna')
      const { url } = await ask()
      const back = await anna.consentUntil(url, `${world.url}/v2/auth/callback`)
      const asked = Promise.withResolvers<ServerResponse>()
      acme.interfere((request, response) => {
        if (!request.url?.startsWith('/token')) return false
        asked.resolve(response)
        return true
      })
      const exchanging = anna.open(back)
      const held = await asked.promise
      const refusal = new URL(back)
      refusal.searchParams.delete('code')
      refusal.searchParams.set('error', 'access_denied')
      expect((await anna.open(refusal.href)).status).toBe(409)
      held.writeHead(200, { 'content-type': 'application/json' })
      held.end(JSON.stringify({ access_token: 'a', token_type: 'bearer' }))
      expect((await exchanging).text).toContain('Acme is connected')
    })

    it('refuses the code: the person may begin anew', async () => {
      await addProvider()
      const anna = new Person('anna')
      const { url } = await ask()
      const back = new URL(await anna.consentUntil(url, `${world.url}/v2/auth/callback`))
      back.searchParams.set('code', 'another')
      const failed = await anna.open(back.href)
      expect(failed).toMatchObject({ status: 400 })
      expect(failed.text).toContain('invalid_grant')
      expect((await anna.consent(url)).text).toContain('Acme is connected')
    })
  })

  it('holds no token, code or secret in lists, events or the audit log', async () => {
    await addProvider()
    await new Person('anna').consent((await ask()).url)
    const { token } = await ask()
    const paths = ['providers', 'providers/acme', 'tokens', 'token-events', 'agents/a/connections']
    const answers = [
      ...(await Promise.all(paths.map((path) => world.call('GET', `/v2/auth/${path}`)))),
      await world.call('GET', '/v2/audit-log?limit=500'),
    ]
    const text = JSON.stringify(answers.map(({ body }) => body))
    expect(text).not.toContain(token)
    expect(text).not.toContain('the-secret-of')
    const { body: audit } = await world.call('GET', '/v2/audit-log?limit=500')
    const actions = audit.items.map((item: { action: string }) => item.action)
    expect(actions.filter((action: string) => action.startsWith('oauth_'))).toEqual([
      'oauth_token.read',
      'oauth_consent.complete',
      'oauth_consent.begin',
      'oauth_provider.create',
    ])
  })
})
