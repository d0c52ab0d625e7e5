import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { ADMIN_KEY_ID, DEFAULT_WORKSPACE_ID } from '../../../../src/core/people/api-key.ts'
import { startControlPlane } from '../../../support/control-plane/control-plane.ts'
import { anOAuthToken } from '../../../support/control-plane/control-plane-records.ts'
import { startOAuthProvider } from '../../../support/oauth/oauth-provider.ts'
import { addProvider, ask, giveToken } from '../../../support/oauth/oauth-world.ts'
import { forEachTest } from '../../../support/running.ts'

const world = forEachTest(() => startControlPlane({ isReconciling: false }))

describe("deleting a provider's tokens", () => {
  it("deletes the caller's of that provider, and no others", async () => {
    const mine = { workspace_id: DEFAULT_WORKSPACE_ID, user_id: ADMIN_KEY_ID }
    const elsewhere = { ...mine, workspace_id: randomUUID() }
    const someoneElse = { ...mine, user_id: randomUUID() }
    const { tokens } = world.store.oauth
    for (const owner of [mine, mine, elsewhere, someoneElse]) {
      await tokens.insert(anOAuthToken({ ...owner, provider_id: 'github' }))
    }
    await tokens.insert(anOAuthToken({ ...mine, provider_id: 'slack' }))
    const { status, body } = await world.call('DELETE', '/v2/auth/tokens?provider_id=github')
    expect(status).toBe(200)
    expect(body).toEqual({ message: 'Deleted 2 tokens.', provider_id: 'github' })
    const left = await tokens.listOfUser({ ...mine, limit: 10 })
    expect(left.map((token) => token.provider_id)).toEqual(['slack'])
    expect(await tokens.listOfUser({ ...elsewhere, limit: 10 })).toHaveLength(1)
    expect(await tokens.listOfUser({ ...someoneElse, limit: 10 })).toHaveLength(1)
  })

  it('is no error when there are none', async () => {
    const { status, body } = await world.call('DELETE', '/v2/auth/tokens?provider_id=github')
    expect(status).toBe(200)
    expect(body).toEqual({ message: 'Deleted 0 tokens.', provider_id: 'github' })
  })

  it.each(['', '?provider_id='])('answers 422 without a provider_id (%j)', async (query) => {
    const { status, body } = await world.call('DELETE', `/v2/auth/tokens${query}`)
    expect(status).toBe(422)
    expect(body.detail[0].loc).toEqual(['query', 'provider_id'])
  })

  it('says that the provider_id is missing', async () => {
    const { body } = await world.call('DELETE', '/v2/auth/tokens')
    expect(body.detail[0].type).toBe('missing')
  })
})

describe('tokens that people have given', () => {
  const acme = forEachTest(startOAuthProvider)
  beforeEach(async () => {
    await addProvider(world, acme)
  })

  it('are listed without the tokens, renamed, and deleted one by one by their owner alone', async () => {
    const token = await giveToken(world)
    const { body } = await world.call('GET', '/v2/auth/tokens')
    expect(body).toMatchObject([
      { provider_id: 'acme', provider_account_label: 'anna@acme.test', user_id: 'anna' },
    ])
    expect(JSON.stringify(body)).not.toContain(token)
    const path = `/v2/auth/tokens/${body[0].id}`
    const other = await world.keyOf('admin')
    expect((await world.call('GET', '/v2/auth/tokens', undefined, other)).body).toEqual([])
    expect((await world.call('DELETE', path, undefined, other)).status).toBe(404)
    const request = { provider_account_label: 'work' }
    expect((await world.call('PATCH', `${path}/metadata`, request, other)).status).toBe(404)
    const renamed = await world.call('PATCH', `${path}/metadata`, request)
    expect(renamed.body).toMatchObject({ provider_account_label: 'work', is_default: true })
    expect((await world.call('DELETE', path)).status).toBe(204)
    expect((await world.call('DELETE', path)).status).toBe(404)
  })

  it('are given back to the provider first', async () => {
    const token = await giveToken(world)
    const userinfo = () =>
      fetch(`${acme.url}/me`, { headers: { authorization: `Bearer ${token}` } })
    expect((await userinfo()).status).toBe(200)
    await giveToken(world, { user_id: 'bert' })
    const { body } = await world.call('DELETE', '/v2/auth/tokens?provider_id=acme')
    expect(body).toEqual({ message: 'Deleted 2 tokens.', provider_id: 'acme' })
    expect((await userinfo()).status).toBe(401)
    expect(await ask(world)).toMatchObject({ status: 'pending' })
    const { body: events } = await world.call('GET', '/v2/auth/token-events?provider_id=acme')
    expect(events[0]).toMatchObject({ event_type: 'token_deleted', source: 'request' })
  })

  it('are deleted also when the provider is down', async () => {
    await giveToken(world)
    acme.interfere((_, response) => {
      response.writeHead(500).end()
      return true
    })
    const { body } = await world.call('DELETE', '/v2/auth/tokens?provider_id=acme')
    expect(body.message).toBe('Deleted 1 token.')
  })

  it('are given back and deleted with their provider', async () => {
    await giveToken(world)
    await world.call('DELETE', '/v2/auth/providers/acme')
    expect(acme.revocations).toBe(2)
    const { body: events } = await world.call('GET', '/v2/auth/token-events?provider_id=acme')
    expect(events[0]).toMatchObject({ event_type: 'token_deleted', source: 'request' })
  })

  it('are given back a few at a time', async () => {
    await giveToken(world)
    const [{ id: first }] = (await world.call('GET', '/v2/auth/tokens')).body
    const token = await world.store.oauth.tokens.get(first)
    for (let i = 0; i < 20; i++) {
      const one = { ...token, id: randomUUID(), refresh_token: null }
      await world.store.oauth.tokens.insert(anOAuthToken(one))
    }
    let [open, most, all] = [0, 0, 0]
    acme.interfere((_, response) => {
      all++
      most = Math.max(most, ++open)
      // The provider takes its time.
      setTimeout(() => {
        open--
        response.writeHead(200).end()
      }, 20)
      return true
    })
    await world.call('DELETE', '/v2/auth/tokens?provider_id=acme')
    expect(all).toBe(22)
    expect(most).toBeLessThanOrEqual(8)
  })

  it.each([true, false])(
    'are counted as revoked by Slack only where it says so: %s',
    async (ok) => {
      await addProvider(world, acme, { provider_id: 'slack', provider_type: 'slack' })
      const { id: provider_key } = (await world.call('GET', '/v2/auth/providers/slack')).body
      const mine = { workspace_id: DEFAULT_WORKSPACE_ID, user_id: ADMIN_KEY_ID }
      const token = anOAuthToken({ ...mine, provider_key, provider_id: 'slack' })
      await world.store.oauth.tokens.insert(token)
      acme.interfere((_, response) => {
        response.writeHead(200).end(JSON.stringify({ ok }))
        return true
      })
      await world.call('DELETE', '/v2/auth/tokens?provider_id=slack')
      const { body } = await world.call('GET', '/v2/audit-log')
      expect(JSON.stringify(body)).toContain(`"revoked":${Number(ok)}`)
    },
  )
})
