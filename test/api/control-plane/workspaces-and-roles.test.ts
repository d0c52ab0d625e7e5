import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { aCreateRequest, startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'

const world = forEachTest(() => startControlPlane({ isReconciling: false }))

const create = (change: Record<string, unknown> = {}, key?: string) =>
  world.call('POST', '/v2/deployments', aCreateRequest(change), key)

describe('another workspace', () => {
  it('sees and changes nothing of the deployment', async () => {
    const created = (await create()).body
    const key = await world.keyOf('admin', randomUUID())
    const path = `/v2/deployments/${created.id}`
    const revision = `${path}/revisions/${created.latest_revision_id}`
    const refused = await Promise.all([
      world.call('GET', path, undefined, key),
      world.call('PATCH', path, { display_name: 'mine' }, key),
      world.call('DELETE', path, undefined, key),
      world.call('GET', `${path}/revisions`, undefined, key),
      world.call('GET', revision, undefined, key),
      world.call('POST', `${revision}/redeploy`, undefined, key),
      world.call('POST', `${path}/upload-url`, undefined, key),
      world.call('POST', `${path}/push-token`, undefined, key),
      world.call('POST', `${path}/revisions`, {}, key),
      world.call('POST', `${revision}/interrupt`, undefined, key),
      world.call('DELETE', `/v2/deployments?deployment_ids=${created.id}`, undefined, key),
      world.call('GET', `${revision}/logs?type=build`, undefined, key),
    ])
    for (const { status, body } of refused) {
      expect(status).toBe(404)
      expect(body).toEqual({ detail: `Deployment ID ${created.id} not found.` })
    }
    expect((await world.call('GET', '/v2/deployments', undefined, key)).body.resources).toEqual([])
    expect((await world.call('GET', path)).body).toEqual(created)
  })
})

describe('roles', () => {
  const secrets = [{ name: 'OPENAI_API_KEY', value: 'sk-test' }]
  const repo_url = 'https://me:token@git.example.com/agent.git'

  it('lets a developer read, with the values of secrets', async () => {
    const key = await world.keyOf('developer')
    const { body } = await create({ secrets }, key)
    expect((await world.call('GET', `/v2/deployments/${body.id}`, undefined, key)).body).toEqual(
      body,
    )
    expect(body.secrets).toEqual(secrets)
  })

  it('lets a viewer read, with the names of secrets and without credentials', async () => {
    const { body } = await create({ secrets, source_config: { repo_url } })
    const key = await world.keyOf('viewer')
    const one = await world.call('GET', `/v2/deployments/${body.id}`, undefined, key)
    expect(one.body.secrets).toEqual([{ name: 'OPENAI_API_KEY', value: '' }])
    expect(one.body.source_config.repo_url).toBe('https://git.example.com/agent.git')
    const list = await world.call('GET', '/v2/deployments', undefined, key)
    expect(list.body.resources).toEqual([one.body])
  })

  it.each(['viewer', 'agent'] as const)('lets a %s change nothing', async (role) => {
    const { body } = await create()
    const key = await world.keyOf(role)
    const path = `/v2/deployments/${body.id}`
    const refused = await Promise.all([
      create({ name: 'other' }, key),
      world.call('PATCH', path, { display_name: 'mine' }, key),
      world.call('DELETE', path, undefined, key),
      world.call('POST', `${path}/upload-url`, undefined, key),
      world.call('POST', `${path}/revisions/${body.latest_revision_id}/redeploy`, undefined, key),
    ])
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
    expect(refused[0]?.body.detail).toContain(`role ${role}`)
  })

  it('lets an agent read nothing', async () => {
    const { body } = await create()
    const key = await world.keyOf('agent')
    const path = `/v2/deployments/${body.id}`
    for (const read of ['/v2/deployments', path, `${path}/revisions`]) {
      expect((await world.call('GET', read, undefined, key)).status).toBe(403)
    }
  })
})
