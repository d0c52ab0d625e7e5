import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ControlPlaneClient } from '../../../client/src/client.ts'
import { beginRollout } from '../../../src/cli/deploy/deploy-folder.ts'
import { startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const world = forEachTest(() => startControlPlane({ isReconciling: false }))

it('keeps a secret that is changed while the folder is uploaded', async () => {
  class Rotating extends ControlPlaneClient {
    override async upload(...sent: Parameters<ControlPlaneClient['upload']>): Promise<void> {
      await super.upload(...sent)
      const { body } = await world.call('GET', `/v2/deployments?name=agent`)
      const secrets = [{ name: 'TOKEN', value: 'new' }]
      await world.call('PATCH', `/v2/deployments/${body.resources[0].id}`, { secrets })
    }
  }
  const connection = { url: world.url, apiKey: world.adminKey }
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'langgraph.json'), '{}')
  const source = { folder, name: 'agent' }
  const given = [{ name: 'TOKEN', value: 'old' }]
  const { id } = await beginRollout(new ControlPlaneClient(connection), {
    ...source,
    secrets: given,
  })
  const other = [{ name: 'OTHER', value: 'x' }]
  await beginRollout(new Rotating(connection), { ...source, secrets: other })
  const { body } = await world.call('GET', `/v2/deployments/${id}`)
  expect(body.secrets).toEqual([
    { name: 'TOKEN', value: 'new' },
    { name: 'OTHER', value: 'x' },
  ])
})
