/** What tests of the OAuth vault do again and again: a provider, a question, a person who consents. */
import { expect } from 'vitest'
import type { ControlPlaneWorld } from '../control-plane/control-plane.ts'
import type { TestOAuthProvider } from './oauth-provider.ts'
import { Person } from './person.ts'

/** Adds the provider to the workspace of a key, the admin's unless named. */
export async function addProvider(
  world: ControlPlaneWorld,
  provider: TestOAuthProvider,
  change: Record<string, unknown> = {},
  key?: string,
): Promise<void> {
  const callback = `${world.url}/v2/auth/callback/${change.provider_id ?? 'acme'}`
  const request = provider.clientFor(callback, change)
  const { status, body } = await world.call('POST', '/v2/auth/providers', request, key)
  expect({ status, body }).toMatchObject({ status: 200 })
}

/** Asks for Anna's token, unless the change says otherwise. Answers what is answered with 200. */
export async function ask(
  world: ControlPlaneWorld,
  change: Record<string, unknown> = {},
  key?: string,
) {
  const request = { provider: 'acme', scopes: ['openid', 'read'], user_id: 'anna', ...change }
  const { status, body } = await world.call('POST', '/v2/auth/authenticate', request, key)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body
}

/** Anna consents; answers the token. */
export async function giveToken(
  world: ControlPlaneWorld,
  change: Record<string, unknown> = {},
): Promise<string> {
  await new Person('anna').consent((await ask(world, change)).url)
  const { status, token } = await ask(world, change)
  expect(status).toBe('completed')
  return token
}
