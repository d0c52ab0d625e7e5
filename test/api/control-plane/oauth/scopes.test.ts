/** What was asked for, and what was given. */
import { describe, expect, it } from 'vitest'
import { startControlPlane } from '../../../support/control-plane/control-plane.ts'
import { startOAuthProvider } from '../../../support/oauth/oauth-provider.ts'
import { addProvider, ask } from '../../../support/oauth/oauth-world.ts'
import { Person } from '../../../support/oauth/person.ts'
import { forEachTest } from '../../../support/running.ts'

const acme = forEachTest(startOAuthProvider)
const world = forEachTest(() => startControlPlane({ isReconciling: false }))

/** The provider grants these, whatever is asked for. */
function grant(scope: string): void {
  acme.interfere((request, response) => {
    if (request.url !== '/token') return false
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ access_token: `for ${scope}`, token_type: 'bearer', scope }))
    return true
  })
}

describe('a person who gives less than was asked for', () => {
  const scopes = ['read', 'write']

  it('is told what is missing, and the token is none of what was asked for', async () => {
    await addProvider(world, acme)
    grant('read')
    const { url, auth_id } = await ask(world, { scopes })
    const waiting = world.call('GET', `/v2/auth/wait/${auth_id}?timeout=30`)
    const anna = new Person('anna')
    const seen = await anna.consent(url)
    expect(seen.status).toBe(400)
    expect(seen.text).toContain('write of Acme is missing')
    expect(seen.text).toContain(`href="${url}"`)
    expect((await waiting).body).toEqual({
      status: 'not_found',
      problem: expect.stringContaining('write of Acme is missing'),
      missing_scopes: ['write'],
    })
    const { id: token_id } = (await world.call('GET', '/v2/auth/tokens')).body[0]
    expect(await ask(world, { scopes })).toMatchObject({
      status: 'pending',
      metadata: { token_id, scopes: ['read'], missing_scopes: ['write'] },
    })
    const { body: events } = await world.call('GET', '/v2/auth/token-events?limit=1')
    const reason = expect.stringContaining('write of Acme is missing')
    expect(events).toMatchObject([{ event_type: 'consent_failed', reason }])
  })

  it('has given what is there, and may give the rest', async () => {
    await addProvider(world, acme)
    grant('read')
    const { url } = await ask(world, { scopes })
    const anna = new Person('anna')
    await anna.consent(url)
    expect(await ask(world, { scopes: ['read'] })).toMatchObject({ token: 'for read' })
    grant('read write')
    expect((await anna.consent(url)).text).toContain('Acme is connected')
    expect(await ask(world, { scopes })).toMatchObject({ token: 'for read write' })
    expect((await world.call('GET', '/v2/auth/tokens')).body).toHaveLength(1)
  })

  it('is not asked again and again where the provider only renames what it gives', async () => {
    await addProvider(world, acme)
    grant('https://acme.test/read write.all')
    expect((await new Person('anna').consent((await ask(world, { scopes })).url)).status).toBe(200)
    expect(await ask(world, { scopes })).toMatchObject({ status: 'completed' })
  })
})

describe('a further account', () => {
  it('that is one which is there keeps what it may do, with fewer scopes asked', async () => {
    await addProvider(world, acme)
    const all = ['openid', 'read', 'write']
    const anna = new Person('anna')
    await anna.consent((await ask(world, { scopes: all })).url)
    const { token } = await ask(world, { scopes: all })
    const further = await ask(world, { scopes: ['openid', 'read'], force_new: true })
    expect((await anna.consent(further.url)).text).toContain('Acme is connected')
    expect(await ask(world, { scopes: all })).toMatchObject({ status: 'completed', token })
    const { body } = await world.call('GET', `/v2/auth/wait/${further.auth_id}`)
    expect(body).toEqual({ status: 'completed', token })
    expect((await world.call('GET', '/v2/auth/tokens')).body).toHaveLength(1)
  })

  it.each([
    ['select_account consent', { prompt: 'consent' }, {}],
    ['select_account', {}, {}],
    ['select_account', { prompt: 'none' }, {}],
    ['select_account', { prompt: 'select_account' }, {}],
    ['select_account', { prompt: 'consent' }, { provider_type: 'microsoft' }],
    ['login consent', { prompt: 'consent' }, { provider_type: 'salesforce' }],
    ['consent', { prompt: 'consent' }, { provider_type: 'slack' }],
  ])('is asked for with the prompt "%s", of %j and %j', async (prompt, params, change) => {
    await addProvider(world, acme, { authorization_params: params, ...change })
    const promptOf = async (force_new: boolean) => {
      const { url } = await ask(world, { force_new })
      return new URL(await new Person('anna').begin(url, acme.url)).searchParams.get('prompt')
    }
    expect(await promptOf(true)).toBe(prompt)
    expect(await promptOf(false)).toBe(Object.values(params)[0] ?? null)
  })
})
