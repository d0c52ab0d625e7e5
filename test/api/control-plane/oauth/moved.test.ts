/** A token belongs to the provider that gave it: no setting and no slug leads it elsewhere. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ProviderCreateRequestSchema } from '../../../../src/control-plane/oauth/providers/schemas.ts'
import { newProvider } from '../../../../src/control-plane/oauth/providers/verbs.ts'
import type { OAuthProvider } from '../../../../src/core/oauth/provider.ts'
import { DEFAULT_WORKSPACE_ID } from '../../../../src/core/people/api-key.ts'
import { type ControlPlaneWorld, startControlPlane } from '../../../support/control-plane.ts'
import { startOAuthProvider, type TestOAuthProvider } from '../../../support/oauth-provider.ts'
import { addProvider, ask, giveToken } from '../../../support/oauth-world.ts'

const HOUR_MS = 3_600_000
const PATH = '/v2/auth/providers/acme'

let acme: TestOAuthProvider
/** Another server, which must not be asked. */
let other: TestOAuthProvider
let asked: string[]
let world: ControlPlaneWorld
let platformProviders: Map<string, OAuthProvider>
beforeEach(async () => {
  acme = await startOAuthProvider()
  other = await startOAuthProvider()
  asked = []
  other.interfere((request) => {
    asked.push(request.url ?? '')
    return false
  })
  platformProviders = new Map()
  world = await startControlPlane({ isReconciling: false, platformProviders })
})
afterEach(async () => {
  await world.close()
  await Promise.all([acme.stop(), other.stop()])
})

describe('a provider that is changed', () => {
  beforeEach(async () => {
    await addProvider(world, acme)
    await giveToken(world)
  })

  const change = (name: string) =>
    name === 'client_id' ? { [name]: 'another' } : { [name]: `${other.url}/new` }
  const NAMES = ['auth_url', 'token_url', 'revocation_url', 'client_id']

  it.each(NAMES)('keeps its secret from another %s', async (name) => {
    const refused = await world.call('PATCH', PATH, change(name), await world.keyOf('developer'))
    expect(refused.status).toBe(422)
    expect(refused.body.detail[0].loc).toEqual(['body', 'client_secret'])
    world.clock.skip(HOUR_MS)
    expect(await ask(world)).toMatchObject({ status: 'completed' })
    expect(asked).toEqual([])
  })

  it.each(NAMES)('ends its tokens and its open links with another %s', async (name) => {
    const link = (await ask(world, { user_id: 'bert' })).url
    const request = { ...change(name), client_secret: 'known' }
    expect((await world.call('PATCH', PATH, request)).status).toBe(200)
    expect(await ask(world)).toMatchObject({ status: 'token_expired' })
    expect((await world.call('GET', link, undefined, null)).status).toBe(410)
    const { body: events } = await world.call('GET', '/v2/auth/token-events?limit=1')
    expect(events).toMatchObject([{ event_type: 'token_expired', source: 'request' }])
    await world.call('DELETE', '/v2/auth/tokens?provider_id=acme')
    expect([asked, acme.revocations]).toEqual([[], 0])
  })

  it('keeps its tokens where it stays with its servers', async () => {
    const request = { name: 'Our Acme', revocation_url: `${acme.url}/token/revocation?for=us` }
    expect((await world.call('PATCH', PATH, request)).status).toBe(200)
    expect(await ask(world)).toMatchObject({ status: 'completed' })
  })
})

describe("a workspace's own provider with the slug of one of the operator's", () => {
  beforeEach(async () => {
    const request = acme.clientFor(`${world.url}/v2/auth/callback/acme`)
    const own = { id: 'platform:acme', workspace_id: DEFAULT_WORKSPACE_ID, now: '' }
    platformProviders.set('acme', newProvider(ProviderCreateRequestSchema.parse(request), own))
    await giveToken(world)
    await addProvider(world, other)
  })

  it('gets none of the tokens that were given to the other', async () => {
    world.clock.skip(HOUR_MS)
    const [{ id }] = (await world.call('GET', '/v2/auth/tokens')).body
    expect(await ask(world)).toMatchObject({ status: 'pending' })
    const request = { provider: 'acme', scopes: ['read'], user_id: 'anna', token_id: id }
    expect((await world.call('POST', '/v2/auth/authenticate', request)).status).toBe(404)
    const exists = await world.call('GET', '/v2/auth/tokens/exists?provider_id=acme')
    expect(exists.body).toEqual({ has_token: false })
    expect(asked).toEqual([])
  })

  it('leaves them where they are when it is deleted', async () => {
    expect((await world.call('DELETE', PATH)).status).toBe(200)
    expect(await ask(world)).toMatchObject({ status: 'completed' })
  })

  it('does not take them back: they go to who gave them', async () => {
    await world.call('DELETE', '/v2/auth/tokens?provider_id=acme')
    expect([asked, acme.revocations]).toEqual([[], 2])
  })
})
