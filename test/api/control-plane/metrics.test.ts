import { expect, it } from 'vitest'
import { aCreateRequest, startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forAllTests } from '../../support/running.ts'

const world = forAllTests(() => startControlPlane({ isReconciling: false }))

const read = (path: string) =>
  fetch(`${world.url}${path}`, { headers: { authorization: `Bearer ${world.adminKey}` } })

it('tells those who run the installation of deployments and rollouts', async () => {
  expect((await world.call('POST', '/v2/deployments', aCreateRequest())).status).toBe(201)
  const response = await read('/metrics')
  expect(response.headers.get('content-type')).toContain('text/plain')
  const text = await response.text()
  expect(text).toMatch(/^runyard_deployments\{status="AWAITING_DATABASE"\} 1$/m)
  expect(text).toMatch(/^runyard_revisions\{status="\w+"\} 1$/m)
  expect(text).toContain('nodejs_eventloop_lag_mean_seconds')
  expect(text).toContain('runyard_database_latency_seconds')
  const json = (await (await read('/metrics?format=json')).json()) as object
  expect(json).toHaveProperty('runyard_gateway_requests_total')
})

it('answers every request with its id', async () => {
  const headers = { 'x-request-id': 'mine' }
  const response = await fetch(`${world.url}/v2/deployments`, { headers })
  expect([response.status, response.headers.get('x-request-id')]).toEqual([401, 'mine'])
})
