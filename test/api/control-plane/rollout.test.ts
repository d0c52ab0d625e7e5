import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BuildError } from '../../../src/core/deployment/builds/build.ts'
import {
  aCreateRequest,
  type ControlPlaneWorld,
  type ControlPlaneWorldOptions,
  startControlPlane,
} from '../../support/control-plane/control-plane.ts'
import { aFolder, FAKE_COMMIT } from '../../support/control-plane/fake-builder.ts'

let world: ControlPlaneWorld
const open = async (options: ControlPlaneWorldOptions = {}) => {
  world = await startControlPlane(options)
}
afterEach(() => world.close())

const within = { timeout: 30_000, interval: 5 }
const eventually = <T>(look: () => T | Promise<T>) => vi.waitFor(look, within)

interface Created {
  id: string
  name: string
  path: string
  revision: string
}

async function create(change: Record<string, unknown> = {}): Promise<Created> {
  const { body } = await world.call('POST', '/v2/deployments', aCreateRequest(change))
  const { id, name, latest_revision_id } = body
  return { id, name, path: `/v2/deployments/${id}`, revision: latest_revision_id }
}

const deployment = async ({ path }: Created) => (await world.call('GET', path)).body
const revision = async ({ path }: Created, id: string) =>
  (await world.call('GET', `${path}/revisions/${id}`)).body

/** Settles once the revision is at this status. */
const reached = (one: Created, status: string, id = one.revision) =>
  eventually(async () => expect((await revision(one, id)).status).toBe(status))

const patch = async ({ path }: Created, request: unknown): Promise<string> =>
  (await world.call('PATCH', path, request)).body.latest_revision_id

/** Makes another revision. */
const change = (one: Created) => patch(one, { source_revision_config: { repo_ref: 'next' } })

describe('a rollout', () => {
  beforeEach(() => open())

  it('goes from a request to a served name', async () => {
    const secrets = [{ name: 'A', value: 'one' }]
    const one = await create({ secrets })
    await reached(one, 'DEPLOYED')
    expect(await deployment(one)).toMatchObject({
      status: 'READY',
      active_revision_id: one.revision,
      latest_revision_id: one.revision,
      source_revision_config: { repo_commit_sha: FAKE_COMMIT },
    })
    expect(world.builder.requests).toEqual([
      expect.objectContaining({
        revision_id: one.revision,
        deployment_id: one.id,
        source_config: expect.objectContaining({
          repo_url: 'https://git.example.com/agent.git',
        }),
        secrets,
      }),
    ])
    expect(world.driver.starts).toEqual([
      {
        revision_id: one.revision,
        deployment_id: one.id,
        deployment_name: 'support',
        workspace_id: '00000000-0000-4000-8000-000000000001',
        artifact: aFolder(one.revision),
        secrets,
        resource_spec: null,
        replicas: 1,
        isStandby: true,
      },
    ])
    expect(world.targets.names.get('support')).toMatchObject({
      deployment_id: one.id,
      revision_id: one.revision,
      workspace_id: '00000000-0000-4000-8000-000000000001',
    })
  })

  it('has pointed the gateway before anyone reads DEPLOYED', async () => {
    const seen: (string | undefined)[] = []
    world.faults.beforeTransaction = () => {
      seen.push(world.targets.revisionOf('support'))
    }
    const one = await create()
    await reached(one, 'DEPLOYED')
    expect(seen.at(-1)).toBe(one.revision)
  })

  it('makes an empty deployment READY, and lets its name answer that nothing runs', async () => {
    const one = await create({
      source: 'internal_source',
      source_config: {},
      source_revision_config: {},
    })
    await eventually(async () => expect((await deployment(one)).status).toBe('READY'))
    await eventually(() => expect(world.targets.names.get('support')).toBe('paused'))
  })

  it('builds a file:// repository that an admin named', async () => {
    const one = await create({ source_config: { repo_url: 'file:///srv/agent.git' } })
    await reached(one, 'DEPLOYED')
    expect(world.builder.requests[0]?.source_config.repo_url).toBe('file:///srv/agent.git')
  })

  it('hands install_command, build_command and resource_spec on', async () => {
    const resource_spec = { memory_mb: 512 }
    const source_config = {
      repo_url: 'https://git.example.com/agent.git',
      install_command: 'npm ci',
      build_command: 'npm run build',
      resource_spec,
    }
    const one = await create({ source_config })
    await reached(one, 'DEPLOYED')
    expect(world.builder.requests[0]?.source_config).toMatchObject(source_config)
    expect(world.driver.starts[0]?.resource_spec).toEqual(resource_spec)
  })

  it('replaces the old revision, which ends when its last request has', async () => {
    const one = await create()
    await reached(one, 'DEPLOYED')
    const endRequest = world.targets.occupy(one.revision)
    const second = await change(one)
    await reached(one, 'DEPLOYED', second)
    expect(world.targets.revisionOf('support')).toBe(second)
    expect((await deployment(one)).active_revision_id).toBe(second)
    await eventually(() => expect(world.targets.calls).toContain(`drain ${one.revision} 60000`))
    expect(world.driver.drained).toEqual([`${one.revision} 60000`])
    expect(world.driver.activated).toEqual([one.revision, second])
    expect(world.driver.present).toEqual([one.revision, second])
    endRequest()
    await eventually(() => expect(world.driver.present).toEqual([second]))
    expect((await revision(one, one.revision)).status).toBe('DEPLOYED')
  })

  it('deploys an older revision again with its own build', async () => {
    const one = await create()
    await reached(one, 'DEPLOYED')
    await reached(one, 'DEPLOYED', await change(one))
    const again = await world.call('POST', `${one.path}/revisions/${one.revision}/redeploy`)
    const third = again.body.latest_revision_id
    await reached(one, 'DEPLOYED', third)
    expect(world.builder.requests).toHaveLength(2)
    expect(world.driver.starts.at(-1)).toMatchObject({
      revision_id: third,
      artifact: aFolder(one.revision),
    })
    expect((await revision(one, third)).source_revision_config).toMatchObject({
      repo_ref: 'main',
      repo_commit_sha: FAKE_COMMIT,
    })
    await eventually(() => expect(world.driver.present).toEqual([third]))
  })

  it('builds an older revision from its own commit where its build is gone', async () => {
    const one = await create()
    await reached(one, 'DEPLOYED')
    await reached(one, 'DEPLOYED', await change(one))
    world.builder.built.delete(one.revision)
    const again = await world.call('POST', `${one.path}/revisions/${one.revision}/redeploy`)
    const third = again.body.latest_revision_id
    await reached(one, 'DEPLOYED', third)
    expect(world.builder.requests.at(-1)).toMatchObject({
      revision_id: third,
      source_revision_config: { repo_commit_sha: FAKE_COMMIT },
    })
  })

  it('ends a replaced revision later when it could not be ended, one try for each look', async () => {
    await world.close()
    await open({ limits: { lookEveryMs: 3_600_000 } })
    const one = await create()
    await reached(one, 'DEPLOYED')
    world.driver.failsToStop = true
    const second = await change(one)
    await reached(one, 'DEPLOYED', second)
    await world.reconciler.whenTended(one.id)
    const tries = world.driver.drained.length
    await world.reconciler.whenTended(one.id)
    await world.reconciler.whenTended(one.id)
    expect(world.driver.drained).toHaveLength(tries + 2)
    expect(world.driver.present).toEqual([one.revision, second])
    world.driver.failsToStop = false
    await world.reconciler.whenTended(one.id)
    await eventually(() => expect(world.driver.present).toEqual([second]))
  })

  it('does not touch the gateway again while nothing changes', async () => {
    const one = await create()
    await reached(one, 'DEPLOYED')
    let looks = 0
    world.faults.beforeLook = () => {
      looks++
    }
    await eventually(() => expect(looks).toBeGreaterThan(3))
    const sets = world.targets.calls.filter((call) => call.startsWith('set'))
    expect(sets).toEqual([`set support ${one.revision}`])
  })
})

describe('a line of revisions', () => {
  beforeEach(async () => {
    await open()
    world.builder.plan = 'by hand'
  })

  it('builds one of a deployment at a time, and skips those that a newer one follows', async () => {
    const one = await create()
    await reached(one, 'BUILDING')
    const second = await change(one)
    const third = await change(one)
    await reached(one, 'SKIPPED', second)
    await reached(one, 'QUEUED', third)
    expect([...world.builder.running.keys()]).toEqual([one.revision])
    world.builder.running.get(one.revision)?.end()
    await reached(one, 'BUILDING', third)
    world.builder.running.get(third)?.end()
    await reached(one, 'DEPLOYED', third)
    expect((await revision(one, one.revision)).status).toBe('DEPLOYED')
    expect(world.builder.requests.map((request) => request.revision_id)).toEqual([
      one.revision,
      third,
    ])
  })

  it('builds two at a time; the third deployment waits for room, a built one for nobody', async () => {
    const [a, b] = [await create({ name: 'a' }), await create({ name: 'b' })]
    await reached(a, 'BUILDING')
    await reached(b, 'BUILDING')
    const c = await create({ name: 'c' })
    await reached(c, 'AWAITING_BUILD')
    world.builder.running.get(a.revision)?.end()
    await reached(a, 'DEPLOYED')
    await reached(c, 'BUILDING')
    expect([...world.builder.running.keys()].sort()).toEqual([b.revision, c.revision].sort())
  })
})

describe('builds that could all begin at once', () => {
  it('are two at a time all the same', async () => {
    await open({ isReconciling: false })
    world.builder.plan = 'by hand'
    const all = [
      await create({ name: 'a' }),
      await create({ name: 'b' }),
      await create({ name: 'c' }),
    ]
    await world.reconciler.start()
    await eventually(() => expect(world.builder.running.size).toBe(2))
    let looks = 0
    world.faults.beforeLook = () => {
      looks++
    }
    await eventually(() => expect(looks).toBeGreaterThan(3))
    expect(world.builder.requests).toHaveLength(2)
    world.builder.plan = 'built'
    for (const build of world.builder.running.values()) build.end()
    for (const one of all) await reached(one, 'DEPLOYED')
  })
})

describe('a rollout that waits for what its author can do nothing about', () => {
  beforeEach(() => open({ limits: { deployTimeoutMs: 600_000 } }))

  /** Settles once a whole look has seen everything as it is now. */
  const looked = async () => {
    const before = world.driver.observed
    await eventually(() => {
      world.reconciler.wake()
      expect(world.driver.observed - before).toBeGreaterThan(5)
    })
  }

  it('has as long to start afterwards as it would have had', async () => {
    world.driver.isHealthyAtOnce = false
    const one = await create()
    await eventually(() => expect(world.driver.observe(one.revision).kind).toBe('starting'))
    world.driver.wait(one.revision, 'It is away.')
    await looked()
    world.clock.skip(6_000_000)
    await looked()
    world.driver.wait(one.revision)
    await looked()
    expect((await revision(one, one.revision)).status).toBe('DEPLOYING')
    world.clock.skip(601_000)
    await reached(one, 'DEPLOY_FAILED')
  })
})

describe('a rollout that fails', () => {
  beforeEach(() => open({ limits: { deployTimeoutMs: 60_000 } }))

  it('tells the step, the cause and the last log lines, without secrets', async () => {
    world.builder.plan = new BuildError('install', 'npm ci ended with code 1', {
      logTail: ['npm error sk-secret is no key', 'npm error 401'],
    })
    const one = await create({ secrets: [{ name: 'KEY', value: 'sk-secret' }] })
    await reached(one, 'BUILD_FAILED')
    expect((await revision(one, one.revision)).status_message).toBe(
      'install: npm ci ended with code 1\nnpm error *** is no key\nnpm error 401',
    )
    expect(world.targets.names.get('support')).toBe('paused')
    expect(await deployment(one)).toMatchObject({ active_revision_id: null, status: 'UNUSED' })
    world.builder.plan = 'built'
    await reached(one, 'DEPLOYED', await change(one))
    expect((await deployment(one)).status).toBe('READY')
  })

  it('leaves the old revision serving when the new one does not build', async () => {
    const one = await create()
    await reached(one, 'DEPLOYED')
    world.builder.plan = new BuildError('fetch', 'no such branch')
    await reached(one, 'BUILD_FAILED', await change(one))
    expect(world.targets.revisionOf('support')).toBe(one.revision)
    expect(await deployment(one)).toMatchObject({
      status: 'READY',
      active_revision_id: one.revision,
    })
    expect(world.driver.present).toEqual([one.revision])
  })

  it('leaves the old revision serving when the new one does not start', async () => {
    const one = await create()
    await reached(one, 'DEPLOYED')
    world.driver.isHealthyAtOnce = false
    const second = await change(one)
    await eventually(() => expect(world.driver.observe(second).kind).toBe('starting'))
    world.driver.fail(second, 'exit code 1\nTypeError: x is not a function')
    await reached(one, 'DEPLOY_FAILED', second)
    expect((await revision(one, second)).status_message).toBe(
      'start: exit code 1\nTypeError: x is not a function',
    )
    expect(world.targets.revisionOf('support')).toBe(one.revision)
    await eventually(() => expect(world.driver.present).toEqual([one.revision]))
  })

  it('says what the start of its agent server does while that goes on', async () => {
    world.driver.isHealthyAtOnce = false
    const one = await create()
    await eventually(() => expect(world.driver.observe(one.revision).kind).toBe('starting'))
    world.driver.wait(one.revision, 'It imports ./src/agent.py, for 52 s.')
    expect(await revision(one, one.revision)).toMatchObject({
      status: 'DEPLOYING',
      status_message: 'It imports ./src/agent.py, for 52 s.',
    })
    world.driver.becomeHealthy(one.revision)
    await reached(one, 'DEPLOYED')
    expect((await revision(one, one.revision)).status_message).toBeNull()
  })

  it('ends when an agent server is not healthy in time, and ends that too', async () => {
    world.driver.isHealthyAtOnce = false
    const one = await create()
    await eventually(() => expect(world.driver.observe(one.revision).kind).toBe('starting'))
    world.clock.skip(60_000)
    await reached(one, 'DEPLOY_FAILED')
    expect((await revision(one, one.revision)).status_message).toContain('within 60 s')
    await eventually(() => expect(world.driver.present).toEqual([]))
    world.driver.isHealthyAtOnce = true
    await reached(one, 'DEPLOYED', await change(one))
  })

  it('fails when the runtime driver cannot start what was built, and says why', async () => {
    world.builder.gives = () => ({ kind: 'image', image_uri: 'agent@sha256:c0ffee' })
    const one = await create()
    await reached(one, 'DEPLOY_FAILED')
    expect((await revision(one, one.revision)).status_message).toContain(
      'This driver does not start artifacts of kind image.',
    )
    world.builder.gives = aFolder
    await reached(one, 'DEPLOYED', await change(one))
  })

  it('pauses a name after a start with a runtime driver that cannot start what is deployed', async () => {
    const one = await create()
    await reached(one, 'DEPLOYED')
    const image = { kind: 'image', image_uri: 'agent@sha256:c0ffee' } as const
    world.builder.built.set(one.revision, { artifact: image, repo_commit_sha: null })
    const { driver, targets } = await world.restart()
    await eventually(() => expect(targets.names.get('support')).toBe('paused'))
    expect(driver.starts).toEqual([])
    expect((await revision(one, one.revision)).status).toBe('DEPLOYED')
  })

  it('looks again after the database has failed', async () => {
    let looks = 0
    world.faults.beforeLook = () => {
      if (looks++ === 0) throw new Error('disk I/O error')
    }
    let writes = 0
    world.faults.beforeTransaction = () => {
      if (writes++ < 2) throw new Error('disk I/O error')
    }
    const one = await create()
    await reached(one, 'DEPLOYED')
  })
})

describe('what is deployed', () => {
  beforeEach(() => open())

  it('is followed to its new address when its agent server was restarted', async () => {
    const one = await create()
    await reached(one, 'DEPLOYED')
    const before = world.targets.names.get('support')
    world.driver.die(one.revision, 'killed')
    await eventually(() => expect(world.targets.names.get('support')).toBe('held'))
    world.driver.becomeHealthy(one.revision)
    await eventually(() => expect(world.targets.revisionOf('support')).toBe(one.revision))
    expect(world.targets.names.get('support')).not.toEqual(before)
  })

  it('lets requests wait for it while the build of the next revision cannot be read', async () => {
    const one = await create()
    await reached(one, 'DEPLOYED')
    world.driver.isHealthyAtOnce = false
    const second = await change(one)
    await eventually(() => expect(world.driver.observe(second).kind).toBe('starting'))
    world.builder.unreadable.add(second)
    world.driver.die(one.revision, 'killed')
    await eventually(() => expect(world.targets.names.get('support')).toBe('held'))
    world.driver.becomeHealthy(one.revision)
    await eventually(() => expect(world.targets.revisionOf('support')).toBe(one.revision))
    expect((await revision(one, second)).status).toBe('DEPLOYING')
    world.driver.becomeHealthy(second)
    world.builder.unreadable.clear()
    await reached(one, 'DEPLOYED', second)
  })

  it('is started again by the next process, and requests wait for it', async () => {
    const one = await create()
    await reached(one, 'DEPLOYED')
    const { driver, targets } = await world.restart()
    expect(targets.calls[0]).toBe('hold support')
    await eventually(() => expect(targets.revisionOf('support')).toBe(one.revision))
    expect(driver.starts.map((spec) => spec.revision_id)).toEqual([one.revision])
    expect(world.builder.requests).toHaveLength(1)
  })

  it('is built again when its build is gone', async () => {
    const one = await create()
    await reached(one, 'DEPLOYED')
    world.builder.built.clear()
    const { targets } = await world.restart()
    await eventually(() => expect(targets.revisionOf('support')).toBe(one.revision))
    expect(world.builder.requests.map((request) => request.revision_id)).toEqual([
      one.revision,
      one.revision,
    ])
    expect(world.builder.requests[1]?.source_revision_config.repo_commit_sha).toBe(FAKE_COMMIT)
    expect((await revision(one, one.revision)).status).toBe('DEPLOYED')
  })

  it('is built again until that works, when its build is gone', async () => {
    const one = await create()
    await reached(one, 'DEPLOYED')
    world.builder.built.clear()
    world.builder.plan = new BuildError('fetch', 'no network')
    const { targets } = await world.restart()
    await eventually(() => expect(world.builder.requests).toHaveLength(2))
    world.builder.plan = 'built'
    await eventually(() => {
      world.clock.skip(1000)
      expect(targets.revisionOf('support')).toBe(one.revision)
    })
    expect((await revision(one, one.revision)).status).toBe('DEPLOYED')
  })

  it('is tried again when it could not be started after a restart', async () => {
    const one = await create()
    await reached(one, 'DEPLOYED')
    const { driver, targets } = await world.restart()
    await eventually(() => expect(targets.revisionOf('support')).toBe(one.revision))
    driver.fail(one.revision, 'address in use')
    await eventually(() => expect(targets.names.get('support')).toBe('paused'))
    await eventually(() => {
      world.clock.skip(1000)
      expect(targets.revisionOf('support')).toBe(one.revision)
    })
    expect((await deployment(one)).active_revision_id).toBe(one.revision)
  })
})

describe('a restart in the middle', () => {
  beforeEach(() => open())

  it('builds again what was being built', async () => {
    world.builder.plan = 'by hand'
    const one = await create()
    await reached(one, 'BUILDING')
    world.builder.plan = 'built'
    await world.restart()
    await reached(one, 'DEPLOYED')
    expect(world.builder.requests).toHaveLength(2)
  })

  it('starts again what was being started, with all of its time', async () => {
    world.driver.isHealthyAtOnce = false
    const one = await create()
    await reached(one, 'DEPLOYING')
    await world.reconciler.stop()
    world.clock.skip(600_000)
    const { targets } = await world.restart()
    await reached(one, 'DEPLOYED')
    expect(targets.revisionOf('support')).toBe(one.revision)
  })

  it('switches again when the record was not written', async () => {
    const one = await create()
    await reached(one, 'DEPLOYED')
    world.driver.isHealthyAtOnce = false
    const second = await change(one)
    await eventually(() => expect(world.driver.observe(second).kind).toBe('starting'))
    // The process is killed after the gateway was pointed to the revision, before the record was.
    world.faults.beforeTransaction = () => {
      throw new Error('killed')
    }
    world.driver.becomeHealthy(second)
    await eventually(() => expect(world.targets.calls).toContain(`set support ${second}`))
    await world.reconciler.stop()
    world.faults.beforeTransaction = () => {}
    expect(await deployment(one)).toMatchObject({ active_revision_id: one.revision })
    const { targets } = await world.restart()
    await reached(one, 'DEPLOYED', second)
    expect(targets.revisionOf('support')).toBe(second)
    expect(targets.calls.filter((call) => call.startsWith('set')).at(-1)).toContain(second)
  })

  it('ends the builds when the process ends, and leaves their status', async () => {
    world.builder.plan = 'by hand'
    const one = await create()
    await eventually(() => expect(world.builder.running.size).toBe(1))
    await world.reconciler.stop()
    await world.reconciler.stop()
    expect(world.builder.running.size).toBe(0)
    expect((await revision(one, one.revision)).status).toBe('BUILDING')
  })
})

describe('deleting', () => {
  beforeEach(() => open())

  const gone = (one: Created) =>
    eventually(async () => expect((await world.call('GET', one.path)).status).toBe(404))

  it('takes away all that there was, and frees the name', async () => {
    const one = await create()
    await reached(one, 'DEPLOYED')
    expect(await world.call('DELETE', one.path)).toMatchObject({ status: 204, body: undefined })
    await gone(one)
    expect(world.driver.present).toEqual([])
    expect(world.targets.names.has('support')).toBe(false)
    expect(world.builder.removed).toEqual([one.revision, one.id])
    expect(world.removedData).toEqual([one.id])
    const again = await create()
    await reached(again, 'DEPLOYED')
    expect(world.targets.revisionOf('support')).toBe(again.revision)
  })

  it('asks for no builds, which may not be readable', async () => {
    const one = await create()
    await reached(one, 'DEPLOYED')
    world.builder.unreadable.add(one.revision)
    world.driver.die(one.revision, 'killed')
    await world.call('DELETE', one.path)
    await gone(one)
    expect(world.driver.present).toEqual([])
  })

  it('ends a build that is going on', async () => {
    world.builder.plan = 'by hand'
    const one = await create()
    await eventually(() => expect(world.builder.running.size).toBe(1))
    await world.call('DELETE', one.path)
    await gone(one)
    expect(world.builder.running.size).toBe(0)
    expect(world.targets.names.has('support')).toBe(false)
  })

  it('waits for nobody who is still being served', async () => {
    const one = await create()
    await reached(one, 'DEPLOYED')
    const endRequest = world.targets.occupy(one.revision)
    await reached(one, 'DEPLOYED', await change(one))
    await world.call('DELETE', one.path)
    await gone(one)
    expect(world.driver.present).toEqual([])
    endRequest()
  })

  it('goes on after a restart', async () => {
    const one = await create()
    await reached(one, 'DEPLOYED')
    await world.reconciler.stop()
    await world.call('DELETE', one.path)
    expect((await deployment(one)).status).toBe('AWAITING_DELETE')
    await world.restart()
    await gone(one)
  })
})
