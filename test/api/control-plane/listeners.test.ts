import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ListenerCreatedSchema } from '../../../src/control-plane/integrations/listener-schemas.ts'
import { timestamp } from '../../../src/core/clock.ts'
import { LISTENER_AWAY_MS } from '../../../src/core/deployment/listener.ts'
import { DEFAULT_WORKSPACE_ID } from '../../../src/core/people/api-key.ts'
import {
  type ControlPlaneWorld,
  startControlPlane,
} from '../../support/control-plane/control-plane.ts'

let world: ControlPlaneWorld
beforeEach(async () => {
  world = await startControlPlane({ isReconciling: false })
})
afterEach(async () => {
  vi.useRealTimers()
  await world.close()
})

const unknown = '11111111-1111-1111-1111-111111111111'
const request = (compute_id: string) => ({
  compute_type: 'k8s',
  compute_id,
  compute_config: { k8s_namespaces: ['agents'] },
})
const create = (compute_id = 'east') => world.call('POST', '/v2/listeners', request(compute_id))

let sequence = 0
/** Of a listener process that has just begun: it is answered at once. */
const aReport = () => {
  sequence += 1
  const session = '22222222-2222-4222-8222-222222222222'
  const about = { url: 'https://east.example.com', runyard: '1.0.0' }
  return { session, sequence, version: null, ...about, revisions: [], names: [], logs: [] }
}

describe('a listener', () => {
  it('is created, answered by its id, changed and deleted', async () => {
    const { status, body } = await create()
    expect(status).toBe(201)
    expect(ListenerCreatedSchema.strict().parse(body)).toEqual(body)
    const { key, ...shown } = body
    expect(key).toMatch(/^ryl_[\w-]{43}$/)
    expect(body).toMatchObject({ ...request('east'), version: null })
    const path = `/v2/listeners/${body.id}`
    expect((await world.call('GET', path)).body).toEqual(shown)

    const patch = { version: '1.2', compute_config: null }
    const patched = await world.call('PATCH', path, patch)
    expect(patched).toMatchObject({ status: 200, body: { ...request('east'), version: '1.2' } })
    const namespaces = { compute_config: { k8s_namespaces: ['a', 'b'] } }
    await world.call('PATCH', path, namespaces)
    expect((await world.call('GET', path)).body).toMatchObject({ version: '1.2', ...namespaces })

    expect((await world.call('DELETE', path)).status).toBe(204)
    expect((await world.call('GET', path)).status).toBe(404)
  })

  it('has a compute id of its own in the workspace', async () => {
    await create()
    const { status, body } = await create()
    expect(status).toBe(409)
    expect(body.detail).toBe(
      `Listener for LangSmith workspace ID '${DEFAULT_WORKSPACE_ID}' and compute ID 'east' ` +
        'already exists.',
    )
  })

  it('is listed newest first, page by page', async () => {
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) {
      ids.push((await create(name)).body.id)
      world.clock.skip(1000)
    }
    const list = async (query = '') => (await world.call('GET', `/v2/listeners${query}`)).body
    const found = await list()
    expect(found.resources.map((one: { id: string }) => one.id)).toEqual(ids.toReversed())
    expect(found.offset).toBe(3)
    expect((await list('?limit=1&offset=1')).resources[0].id).toBe(ids[1])
    expect(await list('?offset=3')).toEqual({ resources: [], offset: 3 })
  })

  it('is answered with 404 when it is unknown or another workspace’s, with 422 for no id', async () => {
    const { id } = (await create()).body
    const foreign = await world.keyOf('admin', unknown)
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? {} : undefined
      const { status, body: answer } = await world.call(method, `/v2/listeners/${unknown}`, body)
      expect([status, answer.detail]).toEqual([404, `Listener ID ${unknown} not found.`])
      expect((await world.call(method, `/v2/listeners/${id}`, body, foreign)).status).toBe(404)
    }
    const { status, body } = await world.call('GET', '/v2/listeners/nonsense')
    expect(status).toBe(422)
    expect(body.detail[0]).toMatchObject({ loc: ['path', 'listener_id'], type: 'uuid_parsing' })
  })

  it('is refused with 422 without what it needs, and with 403 to a viewer', async () => {
    const bad = { compute_type: 'vm', compute_id: '', compute_config: {} }
    expect((await world.call('POST', '/v2/listeners', bad)).status).toBe(422)
    const viewer = await world.keyOf('viewer')
    expect((await world.call('POST', '/v2/listeners', request('x'), viewer)).status).toBe(403)
    expect((await world.call('GET', '/v2/listeners', undefined, viewer)).status).toBe(200)
  })

  it('exchanges with its own key alone, which is good for nothing else and can be revoked', async () => {
    const { body } = await create()
    const exchange = (key: string | null) =>
      world.call('POST', '/internal/listener/exchange', aReport(), key)
    expect((await exchange(null)).status).toBe(401)
    const unread = await world.call('POST', '/internal/listener/exchange', { no: 'report' }, null)
    expect(unread.status).toBe(401)
    expect((await exchange(world.adminKey)).status).toBe(401)
    const answer = await exchange(body.key)
    expect(answer).toMatchObject({
      status: 200,
      body: { revisions: [], names: [], k8s_namespaces: ['agents'] },
    })
    expect((await world.call('GET', '/v2/deployments', undefined, body.key)).status).toBe(401)
    const path = `/v2/listeners/${body.id}`
    expect((await world.call('GET', path)).body).toMatchObject({ url: 'https://east.example.com' })
    const again = await world.call('POST', `${path}/key`)
    expect((await exchange(body.key)).status).toBe(401)
    expect((await exchange(again.body.key)).status).toBe(200)
    expect((await world.call('DELETE', `${path}/key`)).status).toBe(204)
    expect((await exchange(again.body.key)).status).toBe(401)
  })

  it('says when it was heard last, to within some seconds', async () => {
    const { body } = await create()
    const read = async () => (await world.call('GET', `/v2/listeners/${body.id}`)).body
    const heardAt = async () => (await read()).last_heard_at
    const exchange = () => world.call('POST', '/internal/listener/exchange', aReport(), body.key)
    expect(await read()).toMatchObject({ last_heard_at: null, state: 'unheard' })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const now = () => new Date(world.clock.now()).toISOString()
    const first = now()
    await exchange()
    expect(await heardAt()).toBe(first)
    world.clock.skip(4_999)
    await exchange()
    expect(await heardAt()).toBe(first)
    world.clock.skip(1)
    await exchange()
    expect(await read()).toMatchObject({ last_heard_at: now(), state: 'listening' })
    world.clock.skip(LISTENER_AWAY_MS)
    expect(await read()).toMatchObject({ state: 'away' })
  })

  it('that is away is told of by a revision that waits for it', async () => {
    const { body: listener } = await create()
    const { body } = await world.call('POST', '/v2/deployments', {
      ...{ name: 'east', source: 'external_docker' },
      source_config: { listener_id: listener.id, resource_spec: {} },
      source_revision_config: { image_uri: 'registry.example.com/agent:v1' },
      secrets: [],
    })
    const path = `/v2/deployments/${body.id}/revisions`
    const said = async () => {
      const { status_message } = (await world.call('GET', `${path}/${body.latest_revision_id}`))
        .body
      const [listed] = (await world.call('GET', path)).body.resources
      expect(listed.status_message).toBe(status_message)
      return status_message
    }
    expect(await said()).toBeNull()
    const way = [
      ...(['CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING'] as const),
      ...(['AWAITING_DEPLOY', 'DEPLOYING'] as const),
    ]
    for (const [index, to] of way.entries()) {
      const from = way[index - 1]
      const updated_at = timestamp(world.clock)
      if (from) await world.store.revisions.move(body.latest_revision_id, { from, to, updated_at })
    }
    expect(await said()).toMatch(/^The listener east has never been heard from: start it /)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const heardAt = timestamp(world.clock)
    await world.call('POST', '/internal/listener/exchange', aReport(), listener.key)
    world.clock.skip(44_999)
    expect(await said()).toBeNull()
    world.clock.skip(1)
    expect(await said()).toContain(`The listener east was last heard from at ${heardAt}: start it`)
  })

  it('is told whose a key is, unless it is another workspace’s', async () => {
    const { body } = await create()
    const ask = (key: string) =>
      world.call('POST', '/internal/listener/caller', { headers: { 'x-api-key': key } }, body.key)
    expect(await ask(await world.keyOf('agent'))).toMatchObject({
      status: 200,
      body: { role: 'agent', workspace_id: DEFAULT_WORKSPACE_ID },
    })
    expect((await ask('unknown')).status).toBe(401)
    expect((await ask(await world.keyOf('agent', unknown))).status).toBe(403)
  })
})
