import { expect, test } from 'vitest'
import { startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'

const world = forEachTest(() =>
  startControlPlane({ isReconciling: false, maxRequestsPerSecond: 3 }),
)

test('requests of one caller are bounded by the second, whatever key it makes up; health checks are not', async () => {
  const ask = (path: string, key = 'one') =>
    fetch(`${world.url}${path}`, { headers: { 'x-api-key': key } })
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) => ask('/v2/deployments', `key-${i}`)),
  )
  const refused = answers.filter(({ status }) => status === 429)
  // Should a second have begun anew in between, three more are let through.
  expect(refused.length).toBeGreaterThanOrEqual(2)
  const [one] = refused
  expect(Number(one?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await one?.json()).toMatchObject({ detail: expect.stringContaining('a second') })
  expect((await world.call('GET', '/v2/deployments')).status).toBe(200)
  const healthy = await Promise.all(Array.from({ length: 8 }, () => ask('/ok')))
  expect(new Set(healthy.map(({ status }) => status))).toEqual(new Set([200]))
})
