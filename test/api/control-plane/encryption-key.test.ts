import { describe, expect, it } from 'vitest'
import { aCreateRequest, startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'

const world = forEachTest(() => startControlPlane({ isReconciling: false }))

const rotate = (key?: string) => world.call('POST', '/v2/encryption-key/rotate', undefined, key)

describe('changing the encryption key', () => {
  it('seals everything anew, and nobody notices but the audit log', async () => {
    const secrets = [{ name: 'TOKEN', value: 'sk-secret' }]
    const { body } = await world.call('POST', '/v2/deployments', aCreateRequest({ secrets }))
    // The deployment's secrets, its revision's, and the probe.
    expect(await rotate()).toMatchObject({ status: 200, body: { resealed: 3 } })
    expect((await world.call('GET', `/v2/deployments/${body.id}`)).body).toEqual(body)
    const { items } = (await world.call('GET', '/v2/audit-log')).body
    expect(items[0]).toMatchObject({ action: 'encryption_key.rotate', detail: { resealed: 3 } })
  })

  it('is for those who run the installation', async () => {
    const { id } = (await world.call('POST', '/v2/workspaces', { name: 'Blue' })).body
    for (const key of [await world.keyOf('admin', id), await world.keyOf('developer')]) {
      expect((await rotate(key)).status).toBe(403)
    }
  })
})
