/** The key that a deployment's agent servers are given. */
import { beforeEach, describe, expect, it } from 'vitest'
import { agentKeyOf } from '../../../../src/core/oauth/agent-key.ts'
import { aCreateRequest, startControlPlane } from '../../../support/control-plane/control-plane.ts'
import { startOAuthProvider } from '../../../support/oauth/oauth-provider.ts'
import { addProvider, ask } from '../../../support/oauth/oauth-world.ts'
import { Person } from '../../../support/oauth/person.ts'
import { forEachTest } from '../../../support/running.ts'

let deployment_id: string
let key: string
const acme = forEachTest(startOAuthProvider)
const world = forEachTest(() => startControlPlane({ isReconciling: false }))
beforeEach(async () => {
  await addProvider(world, acme)
  deployment_id = await deploy('support')
  key = keyOf(deployment_id)
})

async function deploy(name: string): Promise<string> {
  return (await world.call('POST', '/v2/deployments', aCreateRequest({ name }))).body.id
}

function keyOf(id: string, signingKey = world.store.signingKey): string {
  return agentKeyOf(signingKey, { id, agent_key_nonce: null })
}

describe('an agent’s key', () => {
  it('holds tokens of the deployment’s own users, which no other key gets', async () => {
    await new Person('anna').consent((await ask(world, {}, key)).url)
    expect(await ask(world, {}, key)).toMatchObject({ status: 'completed', user_id: 'anna' })
    expect(await ask(world)).toMatchObject({ status: 'pending' })
    const another = keyOf(await deploy('another'))
    expect(await ask(world, {}, another)).toMatchObject({ status: 'pending' })
    expect((await world.call('GET', '/v2/auth/tokens')).body).toEqual([])
  })

  it('lets the person whom it names see and delete what agents keep for them, and read none of it', async () => {
    const ownKey = await world.keyOf('viewer')
    const { user_id } = await ask(world, { user_id: null }, ownKey)
    await new Person('anna').consent((await ask(world, { user_id }, key)).url)
    const list = () => world.call('GET', '/v2/auth/tokens', undefined, ownKey)
    expect((await list()).body).toMatchObject([{ provider_id: 'acme', user_id }])
    expect(await ask(world, { user_id: null }, ownKey)).toMatchObject({ status: 'pending' })
    const all = '/v2/auth/tokens?provider_id=acme'
    const { body } = await world.call('DELETE', all, undefined, ownKey)
    expect(body).toEqual({ message: 'Deleted 1 token.', provider_id: 'acme' })
    expect(await ask(world, { user_id }, key)).toMatchObject({ status: 'pending' })
  })

  it.each([{}, { user_id: null }, { user_id: '' }])(
    'names whose token it asks for: not %j',
    async (of) => {
      const request = { provider: 'acme', scopes: ['read'], ...of }
      const { status, body } = await world.call('POST', '/v2/auth/authenticate', request, key)
      expect({ status, loc: body.detail[0].loc }).toEqual({ status: 422, loc: ['body', 'user_id'] })
    },
  )

  it('leaves no consent that ends after its deployment', async () => {
    const { url } = await ask(world, {}, key)
    const anna = new Person('anna')
    const back = await anna.consentUntil(url, `${world.url}/v2/auth/callback`)
    await world.call('DELETE', `/v2/deployments/${deployment_id}`)
    expect((await anna.open(back)).status).toBe(410)
    expect((await anna.open(url)).status).toBe(410)
    expect(acme.grants).toEqual([])
  })

  it.each([
    ['GET', '/v2/deployments'],
    ['GET', '/v2/auth/providers'],
    ['POST', '/v2/auth/providers'],
    ['GET', '/v2/api-keys'],
    ['GET', '/v2/audit-log'],
    ['GET', '/v2/me'],
  ])('may do nothing else: %s %s', async (method, path) => {
    const body = method === 'POST' ? {} : undefined
    expect((await world.call(method, path, body, key)).status).toBe(403)
  })

  it('ends with its deployment, and is not made by anyone else', async () => {
    const request = { provider: 'acme', scopes: ['read'], user_id: 'anna' }
    const asking = (by: string) => world.call('POST', '/v2/auth/authenticate', request, by)
    expect((await asking(keyOf(deployment_id, Buffer.alloc(32)))).status).toBe(401)
    expect((await asking(key)).status).toBe(200)
    await world.call('DELETE', `/v2/deployments/${deployment_id}`)
    expect((await asking(key)).status).toBe(401)
  })

  it('is ended by itself in favour of another, which agents get with the next revision', async () => {
    const asking = async (by: string) => {
      const request = { provider: 'acme', scopes: ['read'], user_id: 'anna' }
      return (await world.call('POST', '/v2/auth/authenticate', request, by)).status
    }
    const path = `/v2/deployments/${deployment_id}/agent-key/rotate`
    expect((await world.call('POST', path, undefined, await world.keyOf('viewer'))).status).toBe(
      403,
    )
    expect(await asking(key)).toBe(200)
    const rotated = await world.call('POST', path)
    expect(rotated).toMatchObject({ status: 200, body: { revision_id: null } })
    expect(await asking(key)).toBe(401)
    const deployment = await world.store.deployments.get(deployment_id)
    if (!deployment) throw new Error('The deployment is gone.')
    expect(await asking(agentKeyOf(world.store.signingKey, deployment))).toBe(200)
    expect(await asking(keyOf(await deploy('another')))).toBe(200)
    const { body } = await world.call('GET', '/v2/audit-log?action=agent_key')
    expect(body.items).toMatchObject([{ action: 'agent_key.rotate', target_name: 'support' }])
  })

  it('comes with the active revision again when it is ended', async () => {
    const { latest_revision_id: active_revision_id, updated_at } = (
      await world.call('GET', `/v2/deployments/${deployment_id}`)
    ).body
    await world.store.deployments.update(deployment_id, { active_revision_id, updated_at })
    const path = `/v2/deployments/${deployment_id}/agent-key/rotate`
    const { revision_id } = (await world.call('POST', path)).body
    const revision = `/v2/deployments/${deployment_id}/revisions/${revision_id}`
    expect((await world.call('GET', revision)).status).toBe(200)
    expect(revision_id).not.toBe(active_revision_id)
    // It is on its way now, and not passed over.
    expect((await world.call('POST', path)).body).toEqual({ revision_id: null })
  })
})
