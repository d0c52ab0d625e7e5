/**
 * Random histories of a deployment through its API and the reconciler. What is decided is proven in
 * `src/core/rollout/history.test.ts`; here it is what the steps do to the record and to the world.
 */
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { BuildError } from '../../../src/core/deployment/builds/build.ts'
import {
  aCreateRequest,
  type ControlPlaneWorld,
  startControlPlane,
} from '../../support/control-plane/control-plane.ts'
import type { FakeRuntimeDriver } from '../../support/control-plane/fake-runtime-driver.ts'
import type { FakeTargetTable } from '../../support/control-plane/fake-target-table.ts'

const HAPPENINGS = [
  ...['deployed', 'interrupted', 'rolled back', 'redeployed', 'restarted', 'not written'],
  ...[
    'built',
    'built',
    'not built',
    'build lost',
    'healthy',
    'healthy',
    'healthy',
    'died',
    'failed',
  ],
  ...['asked', 'time passes', 'an hour passes'],
] as const

const histories = fc.record({
  min_scale: fc.constantFrom(0, 1),
  events: fc.array(
    fc.record({
      what: fc.constantFrom(...HAPPENINGS),
      n: fc.nat(100),
      /** Whether the reconciler comes to rest before the next one. */
      isTended: fc.boolean(),
    }),
    { minLength: 10, maxLength: 30, size: 'max' },
  ),
})

class History {
  readonly world: ControlPlaneWorld
  readonly #path: string
  readonly id: string
  driver: FakeRuntimeDriver
  targets: FakeTargetTable

  constructor(world: ControlPlaneWorld, id: string) {
    this.world = world
    this.id = id
    this.#path = `/v2/deployments/${id}`
    this.driver = world.driver
    this.targets = world.targets
    this.driver.isHealthyAtOnce = false
  }

  async happen(what: (typeof HAPPENINGS)[number], n: number): Promise<void> {
    const { world, driver } = this
    const pick = <T>(among: readonly T[]) => among[n % among.length]
    const [revision_id, build] = pick([...world.builder.running]) ?? []
    const running = pick(driver.present)
    switch (what) {
      case 'deployed':
        await this.#call('PATCH', '', { source_revision_config: { repo_ref: `branch-${n}` } })
        return
      case 'interrupted':
        await this.#call('POST', `/revisions/${pick(await this.revisions())?.id}/interrupt`)
        return
      case 'rolled back':
        await this.#call('POST', '/rollback', {})
        return
      case 'redeployed':
        await this.#call('POST', `/revisions/${pick(await this.revisions())?.id}/redeploy`)
        return
      case 'built':
        build?.end()
        return
      case 'not built':
        build?.fail(new BuildError('install', 'no'))
        return
      case 'build lost':
        if (revision_id === undefined)
          world.builder.built.delete([...world.builder.built.keys()][0] ?? '')
        return
      case 'healthy':
        if (running) driver.becomeHealthy(running)
        return
      case 'died':
        if (running && driver.observe(running).kind === 'healthy') driver.die(running, 'exit 9')
        return
      case 'failed':
        if (running) driver.fail(running, 'exit 1')
        return
      case 'asked':
        this.targets.holds.get('support')?.onRequest?.()
        return
      case 'time passes':
        world.clock.skip(5000)
        return
      case 'an hour passes':
        world.clock.skip(3_600_000)
        return
      case 'not written':
        world.faults.beforeTransaction = () => {
          world.faults.beforeTransaction = () => {}
          throw new Error('disk I/O error')
        }
        return
      case 'restarted':
        Object.assign(this, await world.restart())
        this.driver.isHealthyAtOnce = false
    }
  }

  /** Whatever is on its way ends well from now on. */
  endWell(): void {
    const { world, driver } = this
    world.faults.beforeTransaction = () => {}
    world.builder.plan = 'built'
    for (const build of world.builder.running.values()) build.end()
    driver.isHealthyAtOnce = true
    for (const id of driver.present) {
      if (driver.observe(id).kind !== 'healthy') driver.becomeHealthy(id)
    }
    world.clock.skip(2000)
  }

  async revisions(): Promise<{ id: string; status: string }[]> {
    return (await this.#call('GET', '/revisions')).body.resources
  }

  async deployment() {
    return this.world.store.deployments.get(this.id)
  }

  #call(method: string, path: string, body?: unknown) {
    return this.world.call(method, this.#path + path, body)
  }
}

async function begin(min_scale: number): Promise<History> {
  const world = await startControlPlane({ limits: { lookEveryMs: 5, idleMs: 600_000 } })
  world.builder.plan = 'by hand'
  const source_config = {
    repo_url: 'https://git.example.com/agent.git',
    resource_spec: { min_scale },
  }
  const { body } = await world.call('POST', '/v2/deployments', aCreateRequest({ source_config }))
  return new History(world, body.id)
}

/** All rollouts are over, and the active revision alone runs and serves. */
async function checkRest(history: History): Promise<void> {
  history.endWell()
  const { driver, targets } = history
  const statuses = (await history.revisions()).map(({ status }) => status)
  expect(statuses.filter((status) => !/DEPLOYED|FAILED|SKIPPED|INTERRUPTED/.test(status))).toEqual(
    [],
  )
  const { active_revision_id: active, asleep_since } = (await history.deployment()) ?? {}
  const runs = active && asleep_since === null ? [active] : []
  expect(driver.present).toEqual(runs)
  expect(targets.revisionOf('support')).toBe(runs[0])
}

it('a deployment with any history comes to serve its active revision, and runs nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async ({ min_scale, events }) => {
      const history = await begin(min_scale)
      try {
        for (const { what, n, isTended } of events) {
          await history.happen(what, n)
          if (isTended) await history.world.reconciler.whenTended(history.id)
        }
        await vi.waitFor(() => checkRest(history), { timeout: 20_000, interval: 10 })
      } finally {
        await history.world.close()
      }
    }),
    { numRuns: 15, endOnFailure: true },
  )
})
