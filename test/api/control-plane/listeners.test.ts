import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ListenerSchema } from '../../../src/control-plane/integrations/listener-schemas.ts'
import { DEFAULT_WORKSPACE_ID } from '../../../src/core/people/api-key.ts'
import { type ControlPlaneWorld, startControlPlane } from '../../support/control-plane.ts'

let world: ControlPlaneWorld
beforeEach(async () => {
  world = await startControlPlane({ isReconciling: false })
})
afterEach(() => world.close())

const unknown = '11111111-1111-1111-1111-111111111111'
const request = (compute_id: string) => ({
  compute_type: 'k8s',
  compute_id,
  compute_config: { k8s_namespaces: ['agents'] },
})
const create = (compute_id = 'east') => world.call('POST', '/v2/listeners', request(compute_id))

describe('a listener', () => {
  it('is created, answered by its id, changed and deleted', async () => {
    const { status, body } = await create()
    expect(status).toBe(201)
    expect(ListenerSchema.strict().parse(body)).toEqual(body)
    expect(body).toMatchObject({ ...request('east'), version: null })
    const path = `/v2/listeners/${body.id}`
    expect((await world.call('GET', path)).body).toEqual(body)

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
})
