import { describe, expect, it, vi } from 'vitest'
import type { Load } from '../../../src/core/deployment/runtime.ts'
import { aCreateRequest, startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'

const IDLE_MS = 60_000
const CALM: Load = { running: 0, capacity: 4, waiting: 0, lag_ms: 0, next_due_at: null }

const world = forEachTest(() => startControlPlane({ limits: { idleMs: IDLE_MS } }))

const eventually = <T>(look: () => T | Promise<T>) =>
  vi.waitFor(look, { timeout: 30_000, interval: 5 })

/** A deployed revision with this `resource_spec`. */
async function deploy(resource_spec: Record<string, number>) {
  const source_config = { repo_url: 'https://git.example.com/agent.git', resource_spec }
  const { body } = await world.call('POST', '/v2/deployments', aCreateRequest({ source_config }))
  const path = `/v2/deployments/${body.id}`
  const revision: string = body.latest_revision_id
  await eventually(() => expect(world.targets.revisionOf('support')).toBe(revision))
  return { path, revision, id: body.id as string }
}

const runtime = async (path: string) => (await world.call('GET', `${path}/runtime`)).body

describe('replicas', () => {
  it('are added where runs wait, and taken away after a calm while', async () => {
    const { path, revision } = await deploy({ min_scale: 1, max_scale: 3 })
    world.driver.loads.set(revision, { ...CALM, running: 4, waiting: 2 })
    await eventually(() => expect(world.driver.scales.get(revision)).toBe(3))
    world.driver.loads.set(revision, CALM)
    expect((await runtime(path)).replicas).toHaveLength(3)
    await eventually(() => {
      world.clock.skip(60_000)
      expect(world.driver.scales.get(revision)).toBe(1)
    })
  })

  it('are as many as min_scale says from the start', async () => {
    const { revision } = await deploy({ min_scale: 2 })
    expect(world.driver.starts).toMatchObject([{ revision_id: revision, replicas: 2 }])
  })
})

describe('a deployment with min_scale 0', () => {
  /** Asleep, with nobody having asked for a while. */
  async function sleeping(load: Partial<Load> = {}) {
    const one = await deploy({ min_scale: 0 })
    world.driver.loads.set(one.revision, { ...CALM, ...load })
    world.clock.skip(IDLE_MS)
    await eventually(() => expect(world.driver.present).toEqual([]))
    return one
  }

  it('sleeps when nobody asks for it, and is woken by the next request', async () => {
    const { path, revision } = await sleeping()
    expect(await runtime(path)).toMatchObject({
      state: 'asleep',
      revision_id: revision,
      asleep_since: expect.any(String),
      wake_at: null,
      replicas: [],
    })
    expect(world.driver.drained).toHaveLength(1)
    expect(world.targets.names.get('support')).toBe('held')
    world.targets.activities.set('support', { open: 1, last_at: world.clock.now() })
    world.targets.holds.get('support')?.onRequest?.()
    await eventually(() => expect(world.targets.revisionOf('support')).toBe(revision))
    expect((await runtime(path)).state).toBe('serving')
  })

  it('is awake again when its next run or cron is due', async () => {
    const due = world.clock.now() + 3_600_000
    const { path, revision } = await sleeping({ next_due_at: due })
    expect((await runtime(path)).wake_at).toBe(new Date(due).toISOString())
    world.driver.loads.clear()
    world.clock.skip(3_600_000)
    await eventually(() => expect(world.targets.revisionOf('support')).toBe(revision))
  })

  it('goes on to sleep through a restart of the control plane', async () => {
    const { revision } = await sleeping()
    const { driver, targets } = await world.restart()
    expect(targets.calls).toContain('hold support')
    // The gateway asks for keys at once, and not only when it was woken to find out who does.
    expect(targets.holds.get('support')).toMatchObject({ hasOwnAuth: false })
    let looks = 0
    world.faults.beforeLook = () => {
      looks += 1
    }
    await eventually(() => expect(looks).toBeGreaterThan(2))
    expect(driver.starts).toEqual([])
    targets.holds.get('support')?.onRequest?.()
    await eventually(() => expect(targets.revisionOf('support')).toBe(revision))
  })

  it('is woken by a new revision', async () => {
    const { path } = await sleeping()
    world.driver.loads.clear()
    const request = { source_revision_config: { repo_ref: 'next' } }
    const next = (await world.call('PATCH', path, request)).body.latest_revision_id
    await eventually(() => expect(world.targets.revisionOf('support')).toBe(next))
    expect((await runtime(path)).state).toBe('serving')
  })
})

describe('an agent server that dies again and again', () => {
  it('is seen to', async () => {
    const { path, revision, id } = await deploy({})
    world.driver.die(revision, 'The agent server died: it ended with exit code 9.')
    expect(await runtime(path)).toMatchObject({
      state: 'restarting',
      replicas: [{ state: 'restarting', reason: expect.stringContaining('exit code 9') }],
    })
    const stranger = await world.keyOf('viewer', '00000000-0000-4000-8000-000000000002')
    expect((await world.call('GET', `${path}/runtime`, undefined, stranger)).status).toBe(404)
    const active = { id: revision, number: 1, status: 'DEPLOYED' }
    expect((await world.call('GET', '/v2/deployment-states')).body.resources).toEqual([
      { deployment_id: id, name: 'support', state: 'restarting', active, latest: active },
    ])
    const theirs = await world.call('GET', '/v2/deployment-states', undefined, stranger)
    expect(theirs.body.resources).toEqual([])
  })
})
