import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Target } from '../core/target.ts'
import { openWorld, type World, withKey } from './gateway-fixture.ts'

let world: World

beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const ask = (headers: Record<string, string> = {}) =>
  fetch(`${world.url}/agents/agent/threads`, { headers })
const status = async (headers?: Record<string, string>) => (await ask(headers)).status

function withOwnAuth(target: Target): Target {
  const [endpoint] = target.endpoints
  return { ...target, endpoints: [{ ...endpoint, hasOwnAuth: true }] }
}

const startAgent = (revision_id: string) =>
  world.startAgent(revision_id, (req, res) => res.end(req.headers.authorization ?? 'nobody'))

it('asks for no key where the project has its own auth', async () => {
  const { target } = await startAgent('with-auth')
  world.gateway.targets.set('agent', withOwnAuth(target))
  expect(await (await ask({ authorization: 'Bearer a-token-of-theirs' })).text()).toBe(
    'Bearer a-token-of-theirs',
  )
  expect(await status()).toBe(200)
})

it('asks those for a key who say to be Studio', async () => {
  const { target } = await startAgent('with-auth')
  world.gateway.targets.set('agent', withOwnAuth(target))
  expect(await status({ 'x-auth-scheme': 'langsmith' })).toBe(401)
  expect(await status({ 'x-auth-scheme': 'langsmith', ...withKey.headers })).toBe(200)
})

it('asks for a key again once a revision without its own auth has taken over', async () => {
  const { target } = await startAgent('with-auth')
  const next = await startAgent('without')
  world.gateway.targets.set('agent', withOwnAuth(target))
  world.gateway.targets.set('agent', next.target)
  expect(await status()).toBe(401)
})

it('lets a request with other credentials wait until it is known who has to ask for one', async () => {
  const { target } = await startAgent('with-auth')
  const { deployment_id, workspace_id } = target
  const begin = async (next: Target) => {
    const { promise: waits, resolve } = Promise.withResolvers<void>()
    const hold = { deployment_id, workspace_id, limitMs: 60_000, onRequest: resolve }
    world.gateway.targets.hold('agent', hold)
    const answer = status({ authorization: 'Bearer a-token-of-theirs' })
    await waits
    world.gateway.targets.set('agent', next)
    return answer
  }
  expect(await begin(withOwnAuth(target))).toBe(200)
  const keyed = await startAgent('without')
  expect(await begin(keyed.target)).toBe(401)
})

it('remembers who asks while nothing runs', async () => {
  const { target } = await startAgent('with-auth')
  const { deployment_id, workspace_id } = target
  world.gateway.targets.set('agent', withOwnAuth(target))
  world.gateway.targets.pause('agent', { deployment_id, workspace_id })
  expect(await status()).toBe(503)
})
