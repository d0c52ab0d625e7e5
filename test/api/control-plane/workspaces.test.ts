import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { WorkspaceSchema } from '../../../src/control-plane/people/workspace-schemas.ts'
import { DEFAULT_WORKSPACE_ID } from '../../../src/core/people/api-key.ts'
import { aCreateRequest, startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'

const world = forEachTest(() => startControlPlane({ isReconciling: false }))

const create = async (name: string) => (await world.call('POST', '/v2/workspaces', { name })).body
const keyIn = async (workspace_id: string, role = 'admin') =>
  (await world.call('POST', '/v2/api-keys', { name: 'first', role, workspace_id })).body.key

describe('a workspace', () => {
  it('is made, answered, listed and renamed by those who run the installation', async () => {
    const created = await world.call('POST', '/v2/workspaces', { name: 'Blue' })
    expect(created.status).toBe(201)
    expect(WorkspaceSchema.strict().parse(created.body)).toEqual(created.body)
    const path = `/v2/workspaces/${created.body.id}`
    expect((await world.call('GET', path)).body).toEqual(created.body)
    const renamed = { ...created.body, name: 'Azure' }
    expect((await world.call('PATCH', path, { name: 'Azure' })).body).toEqual(renamed)
    const list = await world.call('GET', '/v2/workspaces')
    expect(list.body).toMatchObject({
      resources: [{ id: DEFAULT_WORKSPACE_ID, name: 'Default' }, renamed],
      offset: 2,
    })
    expect((await world.call('GET', '/v2/workspaces?offset=2')).body.resources).toEqual([])
  })

  it('is run by its own admins, who see no other and make none', async () => {
    const blue = await create('Blue')
    const key = await keyIn(blue.id)
    const list = await world.call('GET', '/v2/workspaces', undefined, key)
    expect(list.body.resources).toEqual([blue])
    expect((await world.call('GET', '/v2/workspaces?offset=1', undefined, key)).body).toEqual({
      resources: [],
      offset: 1,
    })
    const path = `/v2/workspaces/${blue.id}`
    expect((await world.call('PATCH', path, { name: 'Sky' }, key)).body.name).toBe('Sky')
    for (const [method, at] of [
      ['POST', '/v2/workspaces'],
      ['DELETE', path],
    ] as const) {
      const refused = await world.call(method, at, { name: 'x' }, key)
      expect(refused.status).toBe(403)
      expect(refused.body.detail).toContain('first workspace')
    }
    const made = await world.call('POST', '/v2/api-keys', { name: 'a', role: 'viewer' }, key)
    expect(made.body.workspace_id).toBe(blue.id)
  })

  it('is gone with its keys once it has no deployments', async () => {
    const blue = await create('Blue')
    const key = await keyIn(blue.id)
    const deployment = await world.call('POST', '/v2/deployments', aCreateRequest(), key)
    const path = `/v2/workspaces/${blue.id}`
    const refused = await world.call('DELETE', path)
    expect(refused.status).toBe(409)
    expect(refused.body.detail).toContain('1 deployment')
    await world.store.deployments.delete(deployment.body.id)
    expect((await world.call('DELETE', path)).status).toBe(204)
    expect((await world.call('GET', path)).status).toBe(404)
    expect((await world.call('GET', '/v2/me', undefined, key)).status).toBe(401)
  })

  it('stays when it is the first one', async () => {
    const { status } = await world.call('DELETE', `/v2/workspaces/${DEFAULT_WORKSPACE_ID}`)
    expect(status).toBe(409)
  })

  it('has to be there for a key in it', async () => {
    const request = { name: 'a', role: 'viewer', workspace_id: randomUUID() }
    expect((await world.call('POST', '/v2/api-keys', request)).status).toBe(404)
  })
})
