import { describe, expect, it } from 'vitest'
import { aCreateRequest, startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'

const world = forEachTest(() => startControlPlane({ isReconciling: false }))

const unknown = '11111111-1111-1111-1111-111111111111'
const repo_url = 'https://git.example.com/agent.git'

async function create(name: string, deployment_type?: string): Promise<string> {
  const request = aCreateRequest({ name, source_config: { repo_url, deployment_type } })
  return (await world.call('POST', '/v2/deployments', request)).body.id
}

async function listIds(query: string): Promise<string[]> {
  const { status, body } = await world.call('GET', `/v2/deployments?${query}`)
  expect({ query, status }).toEqual({ query, status: 200 })
  return body.resources.map((one: { id: string }) => one.id).sort()
}

describe('the list of deployments', () => {
  it('is filtered by status, type and ids', async () => {
    const [dev, free, plain] = [
      await create('a', 'dev'),
      await create('b', 'dev_free'),
      await create('c'),
    ]
    await world.call('DELETE', `/v2/deployments/${free}`)
    const all = [dev, free, plain].sort()
    expect(await listIds('status=AWAITING_DELETE')).toEqual([free])
    expect(await listIds('status=AWAITING_DATABASE,AWAITING_DELETE')).toEqual(all)
    expect(await listIds('deployment_type=dev')).toEqual([dev])
    expect(await listIds('deployment_type=prod')).toEqual([plain])
    expect(await listIds('deployment_type=serverless')).toEqual([])
    expect(await listIds(`deployment_ids=${dev},${plain.toUpperCase()}`)).toEqual(
      [dev, plain].sort(),
    )
    expect(await listIds(`deployment_ids=${unknown}`)).toEqual([])
    expect(await listIds('name=c&deployment_type=prod&status=AWAITING_DATABASE')).toEqual([plain])
  })

  it('finds nothing by what no deployment has', async () => {
    await create('a')
    for (const name of ['image_version', 'tag_value_ids', 'agent_id', 'agent_environment']) {
      expect(await listIds(`${name}=${unknown}`)).toEqual([])
    }
  })

  it('is whole when a filter is empty, and whatever remote_reconciled says', async () => {
    const id = await create('a')
    const names = ['status', 'deployment_type', 'deployment_ids', 'image_version', 'tag_value_ids']
    const free = ['name', 'name_contains', 'agent_id']
    for (const name of [...names, ...free, 'limit', 'offset', 'remote_reconciled']) {
      expect(await listIds(`${name}=`)).toEqual([id])
    }
    expect(await listIds('remote_reconciled=true')).toEqual([id])
    expect(await listIds('remote_reconciled=False')).toEqual([id])
    const revisions = `/v2/deployments/${id}/revisions?remote_reconciled=false&status=`
    expect((await world.call('GET', revisions)).body.resources).toHaveLength(1)
  })

  it.each(['status=SLEEPING', 'deployment_ids=nonsense', 'remote_reconciled=maybe', 'limit=101'])(
    'is refused with 422 for %s',
    async (query) => {
      const { status, body } = await world.call('GET', `/v2/deployments?${query}`)
      expect(status).toBe(422)
      expect(body.detail[0].loc.slice(0, 2)).toEqual(['query', query.split('=')[0]])
    },
  )

  it('can be counted as far as they are free, by each workspace for itself', async () => {
    const count = (key?: string) => world.call('GET', '/v2/deployments/free-count', undefined, key)
    await create('a', 'dev_free')
    await create('b', 'dev_free_zero')
    await create('c', 'dev')
    expect(await count()).toMatchObject({ status: 200, body: { count: 2 } })
    expect((await count(await world.keyOf('viewer', unknown))).body).toEqual({ count: 0 })
  })
})

describe('deleting several deployments', () => {
  const remove = (ids: string[], key?: string) => {
    const query = ids.map((id) => `deployment_ids=${id}`).join('&')
    return world.call('DELETE', `/v2/deployments?${query}`, undefined, key)
  }

  it('answers 200 when all of them are being deleted, one or many', async () => {
    const ids = [await create('a'), await create('b')]
    expect(await remove(ids)).toMatchObject({ status: 200, body: { deleted: ids, failed: [] } })
    const one = await create('c')
    expect(await remove([one])).toMatchObject({ status: 200, body: { deleted: [one] } })
    expect(await listIds('status=AWAITING_DELETE')).toHaveLength(3)
  })

  it('answers 207 with those that could not be, and deletes the others', async () => {
    const id = await create('a')
    expect(await remove([unknown, id, id])).toMatchObject({
      status: 207,
      body: {
        deleted: [id],
        failed: [{ id: unknown, detail: `Deployment ID ${unknown} not found.` }],
      },
    })
    expect(await listIds('status=AWAITING_DELETE')).toEqual([id])
  })

  it('answers 404 when there is none of them, another workspace’s included', async () => {
    const id = await create('a')
    const { status, body } = await remove([id], await world.keyOf('admin', unknown))
    expect([status, body.detail]).toEqual([404, `Deployment ID ${id} not found.`])
    expect((await remove([id], await world.keyOf('viewer'))).status).toBe(403)
    expect(await listIds('status=AWAITING_DELETE')).toEqual([])
  })

  it('answers 422 for no ids, for what is none, and for more than a hundred', async () => {
    expect((await world.call('DELETE', '/v2/deployments')).status).toBe(422)
    expect((await remove(['nonsense'])).status).toBe(422)
    expect((await remove(Array.from({ length: 101 }, () => unknown))).status).toBe(422)
  })
})
