/** The example that acts with its user's own account, under `runyard serve` beside a control plane. */
import { expect, it } from 'vitest'
import { startControlPlane } from '../support/control-plane/control-plane.ts'
import { exampleEnvironment, runOAuthExample } from '../support/oauth/oauth-example.ts'
import { startOAuthProvider } from '../support/oauth/oauth-provider.ts'
import { addProvider } from '../support/oauth/oauth-world.ts'
import { startExample } from '../support/processes/example.ts'

it('the client of examples/oauth prints what its README shows', async () => {
  const provider = await startOAuthProvider()
  const world = await startControlPlane({ isReconciling: false })
  await addProvider(world, provider, { provider_id: 'github', name: 'GitHub' })
  const example = await startExample('oauth', {
    ...exampleEnvironment(provider),
    RUNYARD_URL: world.url,
    RUNYARD_API_KEY: await world.keyOf('agent'),
  })
  try {
    expect(await runOAuthExample(example.url)).toBe(example.shown)
  } finally {
    await example.stop()
    await world.close()
    await provider.stop()
  }
})
