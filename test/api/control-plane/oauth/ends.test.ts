/** What becomes of tokens when those who hold them go. */
import { beforeEach, describe, expect, it } from 'vitest'
import { agentKeyOf } from '../../../../src/core/oauth/agent-key.ts'
import { DEFAULT_WORKSPACE_ID } from '../../../../src/core/people/api-key.ts'
import { aCreateRequest, startControlPlane } from '../../../support/control-plane/control-plane.ts'
import { startOAuthProvider } from '../../../support/oauth/oauth-provider.ts'
import { addProvider, ask } from '../../../support/oauth/oauth-world.ts'
import { Person } from '../../../support/oauth/person.ts'
import { forEachTest } from '../../../support/running.ts'

const acme = forEachTest(startOAuthProvider)
const world = forEachTest(() => startControlPlane({ isReconciling: false }))
beforeEach(async () => {
  await addProvider(world, acme)
})

/** With which Anna has given her token; with a link of Bert's that is open. */
async function giveTo(key: string, anna = 'anna') {
  await new Person('anna').consent((await ask(world, { user_id: anna }, key)).url)
  const { token, status } = await ask(world, { user_id: anna }, key)
  expect(status).toBe('completed')
  const { url } = await ask(world, { user_id: 'bert' }, key)
  return { token, link: url as string }
}

const isGood = async (token: string) => {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${acme.url}/me`, { headers })
  await response.body?.cancel()
  return response.status === 200
}

async function isKept(workspace_id = DEFAULT_WORKSPACE_ID): Promise<boolean> {
  return (await world.store.oauth.tokens.listOfHolder({ workspace_id }, 1)).length > 0
}

const isOpen = async (link: string) =>
  (await world.call('GET', link, undefined, null)).status === 200

async function apiKey() {
  const request = { name: 'app', role: 'agent' }
  return (await world.call('POST', '/v2/api-keys', request)).body as { id: string; key: string }
}

function breakProvider(): void {
  acme.interfere((request, response) => {
    if (!request.url?.startsWith('/token/revocation')) return false
    response.writeHead(500).end()
    return true
  })
}

describe('the tokens of a deployment that is deleted', () => {
  let path: string
  let key: string
  beforeEach(async () => {
    const { id } = (await world.call('POST', '/v2/deployments', aCreateRequest())).body
    path = `/v2/deployments/${id}`
    key = agentKeyOf(world.store.signingKey, { id, agent_key_nonce: null })
  })

  async function remove(): Promise<void> {
    await world.reconciler.start()
    await world.call('DELETE', path)
    await expect.poll(async () => (await world.call('GET', path)).status).toBe(404)
  }

  it('are given back and removed before it is gone, with its open links', async () => {
    const { token, link } = await giveTo(key)
    await remove()
    expect(await isGood(token)).toBe(false)
    expect(await isKept()).toBe(false)
    expect(await isOpen(link)).toBe(false)
  })

  it('are removed also when the provider does not take them, and their people are told', async () => {
    const viewer = await world.keyOf('viewer')
    const { user_id } = await ask(world, { user_id: null }, viewer)
    await giveTo(key, user_id)
    breakProvider()
    await remove()
    expect(await isKept()).toBe(false)
    const told = await world.call('GET', '/v2/auth/token-events?limit=1', undefined, viewer)
    const reason =
      'The deployment was deleted. It was not revoked at the provider yet: Runyard tries again for a day.'
    expect(told.body).toMatchObject([{ event_type: 'token_deleted', source: 'cleanup', reason }])
  })

  it('are given back later where the provider did not answer, and nothing of them stays', async () => {
    const { token } = await giveTo(key)
    breakProvider()
    await remove()
    acme.interfere(undefined)
    expect(await isGood(token)).toBe(true)
    await world.upkeep.work()
    expect(await isGood(token)).toBe(true)
    world.clock.skip(60_000)
    await world.upkeep.work()
    expect(await isGood(token)).toBe(false)
    expect(await world.store.oauth.revocations.listDue(Number.MAX_SAFE_INTEGER, 10)).toEqual([])
  })

  it('keep nobody from stopping while a provider does not answer', async () => {
    await giveTo(key)
    const asked = Promise.withResolvers<void>()
    let isOver = false
    acme.interfere((request, response) => {
      if (!request.url?.startsWith('/token/revocation')) return false
      response.once('close', () => {
        isOver = true
      })
      asked.resolve()
      return true
    })
    await world.reconciler.start()
    await world.call('DELETE', path)
    await asked.promise
    await world.reconciler.stop()
    expect(isOver).toBe(false)
    expect(await isKept()).toBe(true)
    acme.interfere(undefined)
    await world.restart()
    await expect.poll(() => isKept()).toBe(false)
  })
})

describe('a token that its provider does not take back', () => {
  const revocations = () => world.store.oauth.revocations.listDue(Number.MAX_SAFE_INTEGER, 10)
  const remove = () => world.call('DELETE', '/v2/auth/tokens?provider_id=acme')

  it('is left to run out after a day', async () => {
    await giveTo(world.adminKey)
    breakProvider()
    await remove()
    expect(await isKept()).toBe(false)
    expect(await revocations()).toHaveLength(1)
    for (let hours = 0; hours < 30; hours++) {
      await world.upkeep.work()
      world.clock.skip(3_600_000)
    }
    expect(await revocations()).toEqual([])
  })

  it('is left alone once its user has given another, which would end with it', async () => {
    await giveTo(world.adminKey)
    breakProvider()
    await remove()
    acme.interfere(undefined)
    const { token } = await giveTo(world.adminKey)
    world.clock.skip(3_600_000)
    await world.upkeep.work()
    expect(await revocations()).toEqual([])
    expect(await isGood(token)).toBe(true)
  })

  it('goes with the workspace that had it, and is given back all the same', async () => {
    const { id } = (await world.call('POST', '/v2/workspaces', { name: 'Red' })).body
    const red = await world.keyOf('admin', id)
    await addProvider(world, acme, {}, red)
    const { token } = await giveTo(red)
    breakProvider()
    expect((await world.call('DELETE', `/v2/workspaces/${id}`)).status).toBe(204)
    acme.interfere(undefined)
    world.clock.skip(60_000)
    await world.upkeep.work()
    expect(await isGood(token)).toBe(false)
  })
})

it('the tokens of a workspace that is deleted are given back first', async () => {
  const { id } = (await world.call('POST', '/v2/workspaces', { name: 'Red' })).body
  const red = await world.keyOf('admin', id)
  await addProvider(world, acme, {}, red)
  const { token, link } = await giveTo(red)
  expect((await world.call('DELETE', `/v2/workspaces/${id}`)).status).toBe(204)
  expect(await isGood(token)).toBe(false)
  expect(await isKept(id)).toBe(false)
  expect(await isOpen(link)).toBe(false)
})

it('a workspace that has deployments keeps its tokens when it cannot be deleted', async () => {
  const { id } = (await world.call('POST', '/v2/workspaces', { name: 'Red' })).body
  const red = await world.keyOf('admin', id)
  await addProvider(world, acme, {}, red)
  const { token } = await giveTo(red)
  await world.call('POST', '/v2/deployments', aCreateRequest(), red)
  expect((await world.call('DELETE', `/v2/workspaces/${id}`)).status).toBe(409)
  expect(await isGood(token)).toBe(true)
})

describe('the tokens of a key', () => {
  it('are given back and removed once it is revoked, and those of others stay', async () => {
    const [gone, other] = [await apiKey(), await apiKey()]
    const { token, link } = await giveTo(gone.key)
    const kept = await giveTo(other.key)
    await world.upkeep.work()
    expect(await isGood(token)).toBe(true)
    await world.call('DELETE', `/v2/api-keys/${gone.id}`)
    await world.upkeep.work()
    expect(await isGood(token)).toBe(false)
    expect(await isOpen(link)).toBe(false)
    expect(await ask(world, {}, other.key)).toMatchObject({ token: kept.token })
  })

  it('are removed once it has expired', async () => {
    const expires_at = new Date(world.clock.now() + 60_000).toISOString()
    const request = { name: 'short', role: 'agent', expires_at }
    await giveTo((await world.call('POST', '/v2/api-keys', request)).body.key)
    await world.upkeep.work()
    expect(await isKept()).toBe(true)
    world.clock.skip(60_000)
    await world.upkeep.work()
    expect(await isKept()).toBe(false)
  })
})

it('an admin removes all that anybody keeps of a person', async () => {
  const [one, other] = [await world.keyOf('developer'), await world.keyOf('agent')]
  const tokens = [(await giveTo(one)).token, (await giveTo(other)).token]
  const berts = await giveTo(one, 'bert')
  const path = '/v2/auth/tokens/workspace/users/anna'
  expect((await world.call('DELETE', path, undefined, one)).status).toBe(403)
  const { status, body } = await world.call('DELETE', path)
  expect({ status, body }).toEqual({ status: 200, body: { message: 'Deleted 2 tokens.' } })
  expect(await Promise.all(tokens.map(isGood))).toEqual([false, false])
  expect(await ask(world, { user_id: 'bert' }, one)).toMatchObject({ token: berts.token })
})

it('a code that is exchanged while its holder goes is given back, and stored nowhere', async () => {
  const { key } = await apiKey()
  const anna = new Person('anna')
  const back = await anna.consentUntil(
    (await ask(world, {}, key)).url,
    `${world.url}/v2/auth/callback`,
  )
  const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const given: string[] = []
  acme.interfere((request, response) => {
    if (request.url === '/token/revocation') {
      request.on('data', (chunk) =>
        given.push(new URLSearchParams(String(chunk)).get('token') ?? ''),
      )
    }
    if (request.url !== '/token') return false
    reached.resolve()
    void held.promise.then(() => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{"access_token":"late","token_type":"bearer"}')
    })
    return true
  })
  const exchanging = anna.open(back)
  await reached.promise
  await world.call('DELETE', '/v2/auth/tokens/workspace/users/anna')
  held.resolve()
  expect((await exchanging).status).toBe(409)
  expect(await isKept()).toBe(false)
  expect(given).toEqual(['late'])
})
