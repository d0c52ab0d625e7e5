/** What every runtime driver must do. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Artifact } from '../../src/core/deployment/artifacts/artifact.ts'
import { GATEWAY_TOKEN_HEADER } from '../../src/core/deployment/internal-requests.ts'
import type { Secret } from '../../src/core/deployment/revision.ts'
import type {
  Endpoint,
  RuntimeDriver,
  RuntimeSpec,
  RuntimeState,
} from '../../src/core/deployment/runtime.ts'

/** How a stand-in for the agent server behaves. */
type Behaviour =
  | 'is well'
  | 'dies at start'
  | 'says why it does not start'
  | 'says why it does not start, and stays'
  | 'dies after its first start'
  | 'imports for long'
  | 'never listens'
  | 'is never well'
  | 'ignores SIGTERM'
  | 'has a companion'
  | 'can hang'
  | 'grows'
  | 'grows at start'
  | 'never drains'
  | 'cannot be fetched'

/** `A`: what the driver starts. */
export interface RuntimeDriverWorld<A extends Artifact> {
  driver: RuntimeDriver
  /** A new revision of a new deployment, whose agent server behaves so. */
  spec(behaviour: Behaviour, secrets?: Secret[]): RuntimeSpec<A>
  /** Kills the revision's agent server without a warning (SIGKILL). */
  kill(revision_id: string): Promise<void>
  /** `false`: what agent servers have counted when they end is not heard of. */
  hasLastReadings?: false
  /** Ends what is left and removes its files. */
  close(): Promise<void>
}

type Observed = Pick<RuntimeDriver, 'observe' | 'onChange'>

/** Settles with the state once the revision is in one of this kind. */
export async function until<K extends RuntimeState['kind']>(
  driver: Observed,
  revision_id: string,
  kind: K,
): Promise<Extract<RuntimeState, { kind: K }>> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = () => driver.observe(revision_id).kind === kind && resolve()
  const unsubscribe = driver.onChange(look)
  look()
  await promise
  unsubscribe()
  return driver.observe(revision_id) as Extract<RuntimeState, { kind: K }>
}

/** The same for `healthy`: where its first agent server is. */
export async function untilHealthy(driver: Observed, revision_id: string): Promise<Endpoint> {
  return (await until(driver, revision_id, 'healthy')).endpoints[0]
}

/** What the stand-in says of itself; `undefined` when nobody answers. */
export async function ask(endpoint: Endpoint): Promise<Record<string, unknown> | undefined> {
  const headers = { [GATEWAY_TOKEN_HEADER]: endpoint.token }
  const response = await fetch(`${endpoint.url}/ok`, { headers }).catch(() => undefined)
  return response?.ok ? ((await response.json()) as Record<string, unknown>) : undefined
}

/** `dataKey` of every world's driver. */
export function aDataKey(deployment_id: string): string {
  return `data key of ${deployment_id}`
}

/**
 * Runs the suite. `open` makes a fresh world for each test; an agent server has `healthTimeoutMs` to
 * become healthy in it. `keepsToken`: something else than the driver starts again what died, with what the driver told
 * it at first.
 */
export function testRuntimeDriver<A extends Artifact>(
  name: string,
  open: (options: { healthTimeoutMs: number }) => Promise<RuntimeDriverWorld<A>>,
  { keepsToken = false }: { keepsToken?: boolean } = {},
): void {
  describe(`${name} as a runtime driver`, () => {
    let world: RuntimeDriverWorld<A>
    let driver: RuntimeDriver
    beforeEach(async () => {
      world = await open({ healthTimeoutMs: 90_000 })
      driver = world.driver
    })
    afterEach(() => world.close())

    const startHealthy = async (behaviour: Behaviour = 'is well') => {
      const spec = world.spec(behaviour)
      await driver.start(spec)
      const endpoint = await untilHealthy(driver, spec.revision_id)
      return { spec, endpoint }
    }

    it('knows nothing of a revision that was not started', () => {
      expect(driver.observe('unknown')).toEqual({ kind: 'absent' })
    })

    it('starts a revision, which is healthy once it answers', async () => {
      const spec = world.spec('is well')
      await driver.start(spec)
      expect(driver.observe(spec.revision_id).kind).toBe('starting')
      const endpoint = await untilHealthy(driver, spec.revision_id)
      expect(await ask(endpoint)).toBeDefined()
      expect((await fetch(`${endpoint.url}/ok`)).status).toBe(403)
    })

    it('hands the data key of the deployment to the agent server', async () => {
      const { spec, endpoint } = await startHealthy()
      const start = { dataKey: aDataKey(spec.deployment_id) }
      expect(await ask(endpoint)).toMatchObject({ start })
    })

    it('hands the secrets to the agent server', async () => {
      const spec = world.spec('is well', [{ name: 'MODEL_KEY', value: 'a "quoted"\nvalue' }])
      await driver.start(spec)
      const endpoint = await untilHealthy(driver, spec.revision_id)
      expect(await ask(endpoint)).toMatchObject({
        start: { revision_id: spec.revision_id, secrets: { MODEL_KEY: 'a "quoted"\nvalue' } },
      })
    })

    it('does nothing when it is asked to start what is there', async () => {
      const { spec, endpoint } = await startHealthy()
      await driver.start(spec)
      expect(driver.observe(spec.revision_id)).toEqual({ kind: 'healthy', endpoints: [endpoint] })
    })

    it('reports a revision that dies at its start as failed, with its last words', async () => {
      const spec = world.spec('dies at start')
      await driver.start(spec)
      const { reason } = await until(driver, spec.revision_id, 'failed')
      expect(reason).toContain('exit code 3')
      expect(reason).toContain('the graph cannot be loaded')
    })

    it('reports why a revision does not start in its own words, and what it has printed', async () => {
      const spec = world.spec('says why it does not start')
      await driver.start(spec)
      const { reason } = await until(driver, spec.revision_id, 'failed')
      expect(reason).toBe('There is no ink.\n    at graph.ts:3:19\nlooking for ink')
    })

    it('says what a start does while it goes on, and when it has taken too long', async () => {
      const hasty = await open({ healthTimeoutMs: 3000 })
      const spec = hasty.spec('imports for long')
      await hasty.driver.start(spec)
      const failed = until(hasty.driver, spec.revision_id, 'failed')
      const reasons = () => hasty.driver.replicas(spec.revision_id).map(({ reason }) => reason)
      await expect
        .poll(reasons, { timeout: 2900 })
        .toEqual([expect.stringMatching(/^It imports .\/src\/agent.py, for \d s.$/)])
      const { reason } = await failed
      await hasty.close()
      expect(reason).toMatch(
        /not healthy within 3 s: it imports .\/src\/agent.py, for \d s. RUNYARD_START/,
      )
    })

    it.each(['never listens', 'is never well'] as const)(
      'reports a revision that %s as failed when its time is over',
      async (behaviour) => {
        const hasty = await open({ healthTimeoutMs: 500 })
        const spec = hasty.spec(behaviour)
        await hasty.driver.start(spec)
        const { reason } = await until(hasty.driver, spec.revision_id, 'failed')
        await hasty.close()
        expect(reason).toContain('not healthy within 0.5 s')
      },
    )

    it('starts a failed revision again when it is asked to', async () => {
      const spec = world.spec('dies at start')
      await driver.start(spec)
      await until(driver, spec.revision_id, 'failed')
      await driver.start(spec)
      expect(driver.observe(spec.revision_id).kind).toBe('starting')
      await until(driver, spec.revision_id, 'failed')
    })

    const under = keepsToken ? 'the same token' : 'a new token'
    it(`serves again after a kill -9, in one restart and under ${under}`, async () => {
      const { spec, endpoint } = await startHealthy()
      const seen: RuntimeState[] = []
      driver.onChange((id) => seen.push(driver.observe(id)))
      const restarting = until(driver, spec.revision_id, 'restarting')
      await world.kill(spec.revision_id)
      await restarting
      const again = await untilHealthy(driver, spec.revision_id)
      expect(await ask(again)).toBeDefined()
      expect(seen).toMatchObject([{ kind: 'restarting', restarts: 1 }, { kind: 'healthy' }])
      expect(again.token === endpoint.token).toBe(keepsToken)
    })

    it('says how it died while it tries again, and stays startable and stoppable', async () => {
      const { spec } = await startHealthy('dies after its first start')
      const restarting = until(driver, spec.revision_id, 'restarting')
      await world.kill(spec.revision_id)
      expect((await restarting).reason).toContain('SIGKILL')
      await expect
        .poll(() => driver.observe(spec.revision_id))
        .toMatchObject({ kind: 'restarting', reason: expect.stringContaining('exit code 4') })
      await driver.start(spec)
      await driver.stop(spec.revision_id, 1000)
      expect(driver.observe(spec.revision_id)).toEqual({ kind: 'absent' })
    })

    it('asks an agent server to end, and is done when it has', async () => {
      const { spec, endpoint } = await startHealthy()
      await driver.stop(spec.revision_id, 60_000)
      expect(driver.observe(spec.revision_id)).toEqual({ kind: 'absent' })
      expect(await ask(endpoint)).toBeUndefined()
    })

    it('kills an agent server that does not end in time', async () => {
      const { spec, endpoint } = await startHealthy('ignores SIGTERM')
      await driver.stop(spec.revision_id, 50)
      expect(driver.observe(spec.revision_id)).toEqual({ kind: 'absent' })
      expect(await ask(endpoint)).toBeUndefined()
    })

    it('stops a revision that is only starting', async () => {
      const spec = world.spec('never listens')
      await driver.start(spec)
      await driver.stop(spec.revision_id, 1000)
      expect(driver.observe(spec.revision_id)).toEqual({ kind: 'absent' })
    })

    it('takes a stop of what is not there, and a second stop, without complaint', async () => {
      await driver.stop('unknown', 1000)
      const { spec } = await startHealthy()
      await Promise.all([driver.stop(spec.revision_id, 1000), driver.stop(spec.revision_id, 1000)])
      await driver.stop(spec.revision_id, 1000)
      expect(driver.observe(spec.revision_id)).toEqual({ kind: 'absent' })
    })

    it('starts a revision afresh that is being stopped', async () => {
      const { spec, endpoint } = await startHealthy()
      const stopped = driver.stop(spec.revision_id, 1000)
      await driver.start(spec)
      await stopped
      const again = await untilHealthy(driver, spec.revision_id)
      expect(again.token).not.toBe(endpoint.token)
    })

    it('keeps revisions apart, and ends all of them at once', async () => {
      const [one, two] = await Promise.all([startHealthy(), startHealthy()])
      expect(driver.revisionsOf(one.spec.deployment_id)).toContain(one.spec.revision_id)
      await driver.stop(one.spec.revision_id, 1000)
      expect(driver.revisionsOf(one.spec.deployment_id)).not.toContain(one.spec.revision_id)
      expect(driver.revisionsOf(two.spec.deployment_id)).toEqual([two.spec.revision_id])
      expect(driver.revisionsOf('unknown')).toEqual([])
      expect(await ask(two.endpoint)).toBeDefined()
      await driver.stopAll(1000)
      expect(await ask(two.endpoint)).toBeUndefined()
      expect(driver.observe(two.spec.revision_id)).toEqual({ kind: 'absent' })
      await driver.stopAll(1000)
    })

    it('lets a revision stand by until it is activated', async () => {
      const spec = { ...world.spec('is well'), isStandby: true }
      await driver.start(spec)
      const endpoint = await untilHealthy(driver, spec.revision_id)
      expect(await ask(endpoint)).toMatchObject({ start: { isStandby: true } })
      await driver.activate(spec.revision_id)
      expect(await ask(endpoint)).toMatchObject({ isActivated: true })
      const restarting = until(driver, spec.revision_id, 'restarting')
      await world.kill(spec.revision_id)
      await restarting
      const again = await untilHealthy(driver, spec.revision_id)
      expect(await ask(again)).toMatchObject({ start: { isStandby: false } })
      await driver.activate('unknown')
    })

    it('asks a revision about the threads of the one before', async () => {
      const { spec } = await startHealthy()
      expect(await driver.inspect(spec.revision_id)).toMatchObject({ parked: 0, threads: [] })
      expect(await driver.inspect('unknown')).toBeUndefined()
    })

    it('asks agent servers that answer what their metrics say', async () => {
      const spec = world.spec('is well')
      await driver.start(spec)
      const { url } = await untilHealthy(driver, spec.revision_id)
      const [reading, ...others] = await driver.readings(spec.revision_id)
      expect(others).toEqual([])
      expect(reading).toMatchObject({ url, started_at: 1 })
      // More than it has said of itself: its whole family is counted.
      expect(reading?.memory_bytes).toBeGreaterThan(1_000_000)
      expect(await driver.readings('unknown')).toEqual([])
    })

    it('keeps what an agent server has counted when it ended, for who asks first', async () => {
      const { spec, endpoint } = await startHealthy()
      const { deployment_id } = spec
      expect(driver.takeLastReadings(deployment_id)).toEqual([])
      await driver.stop(spec.revision_id, 10_000)
      const last = { url: endpoint.url, started_at: 1, runs: { success: 3 } }
      const expected = world.hasLastReadings === false ? [] : [last]
      expect(driver.takeLastReadings(deployment_id)).toMatchObject(expected)
      expect(driver.takeLastReadings(deployment_id)).toEqual([])
    })

    it('drains, and answers when the next work is due', async () => {
      const { spec, endpoint } = await startHealthy()
      const limits = { graceMs: 5, checkpointMs: 6 }
      expect(await driver.drain(spec.revision_id, limits)).toBe(4711)
      expect(await ask(endpoint)).toMatchObject({ drained: limits })
      expect(await driver.drain('unknown', limits)).toBeUndefined()
    })

    it('tells of its agent servers, and what they report', async () => {
      const { spec } = await startHealthy()
      expect(driver.replicas('unknown')).toEqual([])
      await expect
        .poll(() => driver.replicas(spec.revision_id))
        .toMatchObject([
          { state: 'healthy', restarts: 0, reason: null, load: { running: 1, waiting: 3 } },
        ])
      const restarting = until(driver, spec.revision_id, 'restarting')
      await world.kill(spec.revision_id)
      await restarting
      expect(driver.replicas(spec.revision_id)).toMatchObject([
        { state: 'restarting', restarts: 1, reason: expect.stringContaining('SIGKILL') },
      ])
    })

    it('has as many agent servers as it is told, and retires those too many', async () => {
      const { spec, endpoint } = await startHealthy()
      const { revision_id } = spec
      const endpoints = () => {
        const state = driver.observe(revision_id)
        return state.kind === 'healthy' ? state.endpoints : []
      }
      driver.scale(revision_id, 3, async () => {})
      await expect.poll(() => endpoints().length).toBe(3)
      const all = endpoints()
      expect(all[0]).toEqual(endpoint)
      const retired: (Endpoint | undefined)[] = []
      const mayEnd = Promise.withResolvers<void>()
      driver.scale(revision_id, 1, async (one) => {
        retired.push(one)
        await mayEnd.promise
      })
      expect(endpoints()).toEqual([endpoint])
      expect(retired).toEqual(all.slice(1))
      expect(await ask(all[2] as Endpoint)).toBeDefined()
      mayEnd.resolve()
      await expect.poll(async () => (await ask(all[2] as Endpoint)) === undefined).toBe(true)
      driver.scale('unknown', 2, async () => {})
    })

    it('tells of each change of state until the listener leaves', async () => {
      const spec = world.spec('is well')
      const seen: RuntimeState['kind'][] = []
      const unsubscribe = driver.onChange((id, deployment_id) => {
        if (id !== spec.revision_id) return
        expect(deployment_id).toBe(spec.deployment_id)
        seen.push(driver.observe(id).kind)
      })
      await driver.start(spec)
      await until(driver, spec.revision_id, 'healthy')
      const restarting = until(driver, spec.revision_id, 'restarting')
      await world.kill(spec.revision_id)
      await restarting
      await until(driver, spec.revision_id, 'healthy')
      await driver.stop(spec.revision_id, 1000)
      expect(seen).toEqual(['starting', 'healthy', 'restarting', 'healthy', 'absent'])
      unsubscribe()
      await driver.start(spec)
      expect(seen).toHaveLength(5)
    })
  })
}
