import { describe, expect, it } from 'vitest'
import { aCreateRequest, startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'

const world = forEachTest(() => startControlPlane({ isReconciling: false }))

const unknown = '11111111-1111-1111-1111-111111111111'

describe.each(['/v1/integrations/github', '/v1/integrations/forge/github'])('%s', (path) => {
  it('has no installations, so no repositories', async () => {
    expect(await world.call('GET', `${path}/install`)).toMatchObject({ status: 200, body: [] })
    expect(await world.call('GET', `${path}/${unknown}/repos`)).toMatchObject({
      status: 404,
      body: { detail: `Integration ID ${unknown} not found.` },
    })
    expect((await world.call('GET', `${path}/nonsense/repos`)).status).toBe(422)
  })
})

describe('what needs something that is not there', () => {
  it('is refused: a link to install a GitHub App', async () => {
    const path = '/v2/integrations/forge-github/installation-link'
    for (const body of [undefined, {}, { return_to: 'https://example.com' }]) {
      const answer = await world.call('POST', path, body)
      expect(answer).toMatchObject({ status: 400 })
      expect(answer.body.detail).toContain('source_config.repo_url')
    }
  })

  it('is refused in the words that the CLIs know: a push token', async () => {
    const { id } = (await world.call('POST', '/v2/deployments', aCreateRequest())).body
    const { status, body } = await world.call('POST', `/v2/deployments/${id}/push-token`)
    expect(status).toBe(400)
    expect(body.detail).toContain(
      "push token is only available for 'internal_docker' source deployments",
    )
    expect((await world.call('POST', `/v2/deployments/${unknown}/push-token`)).status).toBe(404)
  })
})
