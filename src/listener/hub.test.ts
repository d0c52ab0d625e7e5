import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FakeRuntimeDriver } from '../../test/support/control-plane/fake-runtime-driver.ts'
import { LISTENER_ID, ListenerWorld } from '../../test/support/control-plane/listener-world.ts'
import type { RuntimeSpec } from '../core/deployment/runtime.ts'

const LIMIT = { timeout: 30_000 }

let local: FakeRuntimeDriver
let world: ListenerWorld
beforeEach(async () => {
  local = new FakeRuntimeDriver()
  world = new ListenerWorld(local)
  await world.start()
})
afterEach(() => world.close())

function aSpec(change: Partial<RuntimeSpec> = {}): RuntimeSpec {
  const which = { revision_id: randomUUID(), deployment_id: randomUUID(), deployment_name: 'a' }
  const artifact = { kind: 'image', image_uri: 'registry.example.com/a@sha256:00' } as const
  return {
    ...which,
    artifact,
    secrets: [],
    resource_spec: null,
    listener_id: LISTENER_ID,
    ...change,
  }
}

const kindOf = ({ revision_id }: RuntimeSpec) => world.hub.driver.observe(revision_id).kind
const startHealthy = async (spec = aSpec()) => {
  await world.hub.driver.start(spec)
  await expect.poll(() => kindOf(spec), LIMIT).toBe('healthy')
  return spec
}

it('leaves what runs to go on under another control plane, which takes it over as it is', async () => {
  const spec = await startHealthy()
  await world.replaceHub()
  await expect.poll(() => kindOf(spec), LIMIT).toBe('healthy')
  expect(world.hub.driver.revisionsOf(spec.deployment_id)).toEqual([spec.revision_id])
  await world.hub.driver.start(spec)
  expect(local.starts).toHaveLength(1)
  await world.hub.driver.stop(spec.revision_id, 0)
  expect(local.observe(spec.revision_id).kind).toBe('absent')
})

it('gives the listener the data key of a deployment before it starts there', async () => {
  const { deployment_id } = await startHealthy()
  expect([...world.dataKeys]).toEqual([[deployment_id, `data key of ${deployment_id}`]])
})

it('goes on with another process of the listener', async () => {
  const spec = await startHealthy()
  await world.replaceListener()
  const second = await startHealthy()
  expect(kindOf(spec)).toBe('healthy')
  expect(local.starts.map(({ revision_id }) => revision_id)).toEqual([
    spec.revision_id,
    second.revision_id,
  ])
})

it('has ended what the record does not know any more', async () => {
  const spec = await startHealthy()
  world.unknown.add(spec.revision_id)
  await world.replaceHub()
  await expect.poll(() => local.observe(spec.revision_id).kind, LIMIT).toBe('absent')
})

it('tells of a long reason its beginning and its end', async () => {
  const spec = await startHealthy()
  const lines = Array.from({ length: 20 }, (_, i) => `${i} ${'x'.repeat(8000)}`)
  local.fail(spec.revision_id, ['It died.', ...lines, 'The cause.'].join('\n'))
  await expect.poll(() => kindOf(spec), LIMIT).toBe('failed')
  const { reason } = world.hub.driver.observe(spec.revision_id) as { reason: string }
  expect(reason).toMatch(/^It died\.\n…\n19 x+\nThe cause\.$/)
})

it('leaves alone what a listener sees and others run', async () => {
  const [foreign, gone] = [await startHealthy(), await startHealthy()]
  world.foreign.add(foreign.revision_id)
  world.unknown.add(gone.revision_id)
  await world.replaceHub()
  await expect.poll(() => local.observe(gone.revision_id).kind, LIMIT).toBe('absent')
  expect(local.observe(foreign.revision_id).kind).toBe('healthy')
  expect(kindOf(foreign)).toBe('absent')
})

it('carries out after a cut what was wanted meanwhile', async () => {
  const first = await startHealthy()
  world.isCut = true
  const second = aSpec()
  await world.hub.driver.start(second)
  const stopped = world.hub.driver.stop(first.revision_id, 0)
  world.isCut = false
  await expect.poll(() => kindOf(second), LIMIT).toBe('healthy')
  await stopped
  await expect.poll(() => local.observe(first.revision_id).kind, LIMIT).toBe('absent')
})

it('refuses a namespace that is none of the listener’s', async () => {
  await world.close()
  world = new ListenerWorld(local)
  world.namespaces = ['agents']
  await world.start()
  const spec = aSpec({ k8s_namespace: 'kube-system' })
  await world.hub.driver.start(spec)
  await expect.poll(() => kindOf(spec), LIMIT).toBe('failed')
  expect(world.hub.driver.observe(spec.revision_id)).toMatchObject({
    reason: expect.stringContaining('kube-system is not one of this listener’s: agents'),
  })
  expect(local.starts).toEqual([])
})

it('goes by its own clock for when a name was asked for', async () => {
  const deployment_id = randomUUID()
  const owner = { deployment_id, workspace_id: 'w', listener_id: LISTENER_ID }
  world.hub.targets.pause('support', owner)
  const session = randomUUID()
  const about = { version: null, url: null, runyard: '0.0.0', revisions: [], logs: [] }
  const tell = (sequence: number, last_at: number) => {
    const name = { name: 'support', deployment_id, is_wanted: false, open: 0, last_at }
    const who = { id: LISTENER_ID, compute_config: { k8s_namespaces: null } }
    const report = { session, sequence, ...about, names: [name] }
    return world.hub.exchange(who, report, new AbortController().signal)
  }
  const before = Date.now()
  await tell(1, 1000)
  await tell(2, 2000)
  const { last_at } = world.hub.targets.activity('support')
  expect(last_at).toBeGreaterThanOrEqual(before)
  expect(last_at).toBeLessThanOrEqual(Date.now())
  await tell(3, 4e12)
  expect(world.hub.targets.activity('support').last_at).toBeLessThanOrEqual(Date.now())
})

it('steers the listener’s gateway, and tells who asks here where that is', async () => {
  const { revision_id, deployment_id } = await startHealthy()
  const state = world.hub.driver.observe(revision_id)
  if (state.kind !== 'healthy') throw new Error(state.kind)
  const owner = { deployment_id, workspace_id: 'w', listener_id: LISTENER_ID }
  world.hub.targets.set('support', { ...owner, revision_id, endpoints: state.endpoints })
  await expect.poll(() => world.targets.observe('support').kind, LIMIT).toBe('serving')
  expect(() => world.ownTargets.find('support').requireNotPaused()).toThrow(
    'Call it at https://agents.example.com/agents/support.',
  )
  // As a control plane does that has just begun to lead.
  await world.replaceHub()
  world.hub.targets.hold('support', { ...owner, limitMs: 1000 })
  await startHealthy()
  expect(world.targets.observe('support').kind).toBe('serving')
  world.hub.targets.remove('support')
  await expect.poll(() => world.targets.observe('support').kind, LIMIT).toBe('unknown')
})

it('tells the listener’s gateway how requests are let in, and at which hosts', async () => {
  const { deployment_id } = await startHealthy()
  const owner = { deployment_id, workspace_id: 'w', listener_id: LISTENER_ID }
  const at = (host: string) => world.hosts.deploymentAt(host)
  world.hub.targets.enter('support', { isPublic: true, hosts: ['a.test'] })
  world.hub.targets.hold('support', { ...owner, limitMs: 1000 })
  await expect.poll(() => at('a.test'), LIMIT).toBe('support')
  expect(world.targets.find('support').isPublic).toBe(true)
  world.hub.targets.enter('support', { isPublic: false, hosts: ['b.test'] })
  await expect.poll(() => at('b.test'), LIMIT).toBe('support')
  expect(at('a.test')).toBeUndefined()
  expect(world.targets.find('support').isPublic).toBe(false)
  // Of another control plane, which has just begun to lead, and of another process of the listener.
  await world.replaceHub()
  world.hub.targets.enter('support', { isPublic: true, hosts: ['b.test', 'c.test'] })
  world.hub.targets.hold('support', { ...owner, limitMs: 1000 })
  await expect.poll(() => at('c.test'), LIMIT).toBe('support')
  await world.replaceListener()
  await expect.poll(() => world.targets.entrance('support').isPublic, LIMIT).toBe(true)
  expect(at('b.test')).toBe('support')
  world.hub.targets.remove('support')
  await expect.poll(() => at('b.test'), LIMIT).toBeUndefined()
})

it('hears each line once', async () => {
  const { revision_id } = await startHealthy()
  world.printed.push({ revision_id, text: 'one\n' })
  await expect.poll(() => world.printed, LIMIT).toEqual([])
  world.printed.push({ revision_id, text: 'two\n' })
  await expect.poll(() => world.printed, LIMIT).toEqual([])
  expect(world.logged).toEqual(['one\n', 'two\n'])
})
