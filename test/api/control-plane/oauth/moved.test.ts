/** A token belongs to the provider that gave it: no setting and no slug leads it elsewhere. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readPlatformProviders } from '../../../../src/control-plane/oauth/providers/platform-providers.ts'
import { ProviderCreateRequestSchema } from '../../../../src/control-plane/oauth/providers/provider-schemas.ts'
import { newProvider } from '../../../../src/control-plane/oauth/providers/providers.ts'
import { parseIpRange } from '../../../../src/core/network/ip-range.ts'
import type { OAuthProvider } from '../../../../src/core/oauth/provider.ts'
import { DEFAULT_WORKSPACE_ID } from '../../../../src/core/people/api-key.ts'
import { createGuardedFetch } from '../../../../src/webhook/guarded-fetch.ts'
import {
  type ControlPlaneWorld,
  startControlPlane,
} from '../../../support/control-plane/control-plane.ts'
import {
  startOAuthProvider,
  type TestOAuthProvider,
} from '../../../support/oauth/oauth-provider.ts'
import { addProvider, ask, giveToken } from '../../../support/oauth/oauth-world.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

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

describe('a provider of the operator’s whose settings have changed', () => {
  const read = (change: object) => {
    const folder = temporaryFolder()
    const file = join(folder, 'providers.json')
    const request = acme.clientFor(`${world.url}/v2/auth/callback/acme`)
    writeFileSync(file, JSON.stringify([{ ...request, client_id: 'client-1', ...change }]))
    const outgoing = createGuardedFetch({ allowed: parseIpRange('loopback') ?? [] })
    const found = readPlatformProviders(file, { outgoing, now: '' })
    return found.get('acme')?.id
  }

  it('is another with another client or server, and the same with another secret or name', () => {
    const id = read({})
    for (const change of [{ client_secret: 'another' }, { name: 'Acme of all' }]) {
      expect(read(change)).toBe(id)
    }
    for (const change of [{ client_id: 'client-2' }, { token_url: `${other.url}/token` }]) {
      expect(read(change)).not.toBe(id)
    }
  })

  it('is tried again after a start, whatever had failed before', async () => {
    const request = acme.clientFor(`${world.url}/v2/auth/callback/acme`)
    const own = { id: 'platform:acme', workspace_id: DEFAULT_WORKSPACE_ID, now: '' }
    platformProviders.set('acme', newProvider(ProviderCreateRequestSchema.parse(request), own))
    await giveToken(world)
    world.clock.skip(HOUR_MS)
    acme.interfere((asked, response) => {
      if (asked.url !== '/token') return false
      response.writeHead(401).end('{"error":"invalid_client"}')
      return true
    })
    const question = { provider: 'acme', scopes: ['read'], user_id: 'anna' }
    const asking = () => world.call('POST', '/v2/auth/authenticate', question)
    expect((await asking()).status).toBe(503)
    acme.interfere(undefined)
    expect((await asking()).status).toBe(503)
    await world.upkeep.tryPlatformProviders()
    expect((await asking()).body).toMatchObject({ status: 'completed' })
  })
})
