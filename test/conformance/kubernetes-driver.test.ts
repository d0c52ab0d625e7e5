/** The Kubernetes driver, on a stand-in of the API that checks what it is sent, with real processes as pods. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import type { Artifact } from '../../src/core/deployment/artifacts/artifact.ts'
import { GATEWAY_TOKEN_HEADER } from '../../src/core/deployment/internal-requests.ts'
import type { KubernetesSettings } from '../../src/core/deployment/kubernetes-settings.ts'
import type {
  Endpoint,
  RuntimeDriver,
  RuntimeSpec,
  RuntimeState,
} from '../../src/core/deployment/runtime.ts'
import { silentLog } from '../../src/core/log.ts'
import {
  createKubernetesDriver,
  type KubernetesDriverOptions,
} from '../../src/runtime/kubernetes/driver.ts'
import { type KubernetesCluster, startKubernetesApi } from '../support/kubernetes/kubernetes-api.ts'
import { forEachTest } from '../support/running.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import {
  aDataKey,
  ask,
  type RuntimeDriverWorld,
  testRuntimeDriver,
  until,
  untilHealthy,
} from './runtime-driver.ts'

const STAND_IN = join(import.meta.dirname, '../fixtures/linked-stand-in.js')
const IMAGES = { 'runyard:stand-in': [process.execPath, STAND_IN] } as const

/** How long it may take until the cluster has removed what it is to remove. */
const SWEPT = { timeout: 30_000 }

interface KubernetesWorld extends RuntimeDriverWorld<Artifact> {
  cluster: KubernetesCluster
  dir: string
  settings: KubernetesSettings
  /** Another driver of the same installation. */
  another(options?: Partial<KubernetesDriverOptions>): RuntimeDriver
}

async function openWorld({
  settings,
  ...options
}: Partial<KubernetesDriverOptions> & {
  settings?: Partial<KubernetesSettings>
} = {}): Promise<KubernetesWorld> {
  const dir = temporaryFolder()
  const cluster = await startKubernetesApi(IMAGES)
  const kubernetes: KubernetesSettings = {
    ...{ kubeconfig: cluster.kubeconfig, namespace: 'agents', image: 'runyard:stand-in' },
    ...{ installation: 'test', allow: [], scaling: 'own', ingressFrom: [] },
    ...settings,
  }
  const create = (given: Partial<KubernetesDriverOptions> = {}) =>
    createKubernetesDriver({
      ...{ kubernetes, clock: systemClock, log: silentLog, logsDir: join(dir, 'logs') },
      ...{ command: { file: process.execPath, args: [] }, env: {}, dataDir: () => dir },
      dataKey: aDataKey,
      locate: () => {
        throw new Error('Pods find nothing on this machine.')
      },
      artifactAddress: async (artifact) => ({
        url: 'http://127.0.0.1/artifact',
        digest: `sha256:${behaviours.get(artifact.id)?.replaceAll(' ', '-')}`,
      }),
      ...options,
      ...given,
    })
  const driver = create()
  const all = [driver]
  return {
    ...{ cluster, dir, driver, spec, settings: kubernetes },
    another(given) {
      const one = create(given)
      all.push(one)
      return one
    },
    async kill(revision_id) {
      const state = driver.observe(revision_id)
      if (state.kind !== 'healthy') throw new Error(`${revision_id} is ${state.kind}`)
      const about = await ask(state.endpoints[0])
      process.kill(about?.pid as number, 'SIGKILL')
    },
    async close() {
      await Promise.all(all.map((one) => one.leave(0)))
      await cluster.stop()
    },
  }
}

function endpointsOf(state: RuntimeState): readonly Endpoint[] {
  return state.kind === 'healthy' ? state.endpoints : []
}

/** By the id of what was built: what the stand-in's project does, which its digest tells it. */
const behaviours = new Map<string, string>()

function spec(behaviour: string, secrets: RuntimeSpec['secrets'] = []): RuntimeSpec {
  const revision_id = randomUUID()
  behaviours.set(revision_id, behaviour)
  return {
    ...{
      revision_id,
      deployment_id: randomUUID(),
      deployment_name: 'stand-in',
      workspace_id: 'w1',
    },
    artifact: {
      ...{ kind: 'folder', id: revision_id, node_version: null, bundle: null, python: null },
      config_path: 'langgraph.json',
    },
    ...{ secrets, resource_spec: null },
  }
}

testRuntimeDriver('The Kubernetes driver', openWorld, { keepsToken: true })

describe('The Kubernetes driver', () => {
  const world = forEachTest(openWorld)

  const startHealthy = async (resource_spec: RuntimeSpec['resource_spec'] = null) => {
    const one = { ...world.spec('is well', [{ name: 'KEY', value: 'the-secret' }]), resource_spec }
    await world.driver.start(one)
    const endpoint = await untilHealthy(world.driver, one.revision_id)
    return { spec: one, endpoint }
  }
  const failureOf = async (
    given: Partial<RuntimeSpec>,
    options: Partial<KubernetesDriverOptions> = {},
  ) => {
    const driver = world.another(options)
    const one = { ...world.spec('is well'), ...given }
    await driver.start(one)
    return (await until(driver, one.revision_id, 'failed')).reason
  }

  it('makes only objects that Kubernetes takes, and leaves none of them behind', async () => {
    const { spec: one } = await startHealthy()
    const kinds = ['Secret', 'Deployment', 'Service', 'NetworkPolicy', 'PodDisruptionBudget', 'Pod']
    for (const kind of kinds) expect(world.cluster.objects(kind), kind).toHaveLength(1)
    expect(world.cluster.refusals).toEqual([])
    await world.driver.stop(one.revision_id, 5000)
    for (const kind of kinds) expect(world.cluster.objects(kind), kind).toEqual([])
  })

  it('leaves nothing of a revision that is stopped while its objects are made', async () => {
    for (let round = 0; round < 5; round++) {
      const one = world.spec('is well')
      await world.driver.start(one)
      for (let turn = 0; turn < round * 4; turn++) await new Promise(setImmediate)
      await world.driver.stop(one.revision_id, 1000)
      expect(world.driver.observe(one.revision_id)).toEqual({ kind: 'absent' })
      for (const kind of ['Secret', 'Deployment', 'NetworkPolicy', 'Pod']) {
        await expect.poll(() => world.cluster.objects(kind)).toEqual([])
      }
    }
  })

  it('shows secrets in the Secret only', async () => {
    const { endpoint } = await startHealthy()
    const seen = ['Deployment', 'Pod', 'Service'].flatMap((kind) => world.cluster.objects(kind))
    expect(JSON.stringify(seen)).not.toContain('the-secret')
    expect(JSON.stringify(seen)).not.toContain(endpoint.token)
    const { env } = (await ask(endpoint)) as { env: Record<string, string> }
    expect(JSON.stringify(env)).not.toContain('the-secret')
  })

  it('does again what the cluster has refused', async () => {
    const { spec: one } = await startHealthy()
    world.cluster.forbid('deployments')
    world.driver.scale(one.revision_id, 2, async () => {})
    await expect.poll(() => world.cluster.refusals).not.toEqual([])
    world.cluster.allow('deployments')
    await expect
      .poll(() => world.cluster.objects('Deployment'), { timeout: 15_000 })
      .toMatchObject([{ spec: { replicas: 2 } }])
  })

  it('keeps what an agent server prints', async () => {
    const { spec: one } = await startHealthy()
    const path = join(world.dir, 'logs', one.revision_id, 'deploy.log')
    await expect.poll(() => readFile(path, 'utf8').catch(() => '')).toMatch(/^\S+Z listening$/m)
  })

  it('is taken over by the next driver with all that runs, and goes on meanwhile', async () => {
    const { spec: one, endpoint } = await startHealthy()
    await world.driver.leave(0)
    expect(await ask(endpoint)).toBeDefined()
    const next = world.another()
    expect(await untilHealthy(next, one.revision_id)).toEqual(endpoint)
    expect(next.revisionsOf(one.deployment_id)).toEqual([one.revision_id])
    await next.start(one)
    expect(next.observe(one.revision_id)).toEqual({ kind: 'healthy', endpoints: [endpoint] })
    await next.stop(one.revision_id, 5000)
    expect(world.cluster.objects('Secret')).toEqual([])
  })

  it('stops what an earlier driver has left, though it has not seen it yet', async () => {
    const { spec: one } = await startHealthy()
    await world.driver.leave(0)
    await world.another().stop(one.revision_id, 1000)
    for (const kind of ['Secret', 'Deployment', 'Pod']) {
      expect(world.cluster.objects(kind), kind).toEqual([])
    }
  })

  it('begins again with what was started no further than its Secret', async () => {
    const { spec: one } = await startHealthy()
    await world.driver.leave(0)
    await world.cluster.remove('Deployment')
    const next = world.another()
    await next.start(one)
    expect(await ask(await untilHealthy(next, one.revision_id))).toBeDefined()
  })

  it('leaves what belongs to another installation alone', async () => {
    const { spec: one } = await startHealthy()
    const other = world.another({
      kubernetes: { ...world.settings, installation: 'other' },
    })
    await other.start(world.spec('is well'))
    expect(other.revisionsOf(one.deployment_id)).toEqual([])
  })

  it('removes what is left of a deployment that the record no longer has', async () => {
    const record = { id: 'a', has: async () => true }
    const mine = world.another({ record })
    const [kept, gone] = [world.spec('is well'), world.spec('is well')]
    for (const one of [kept, gone]) await mine.start(one)
    for (const one of [kept, gone]) await untilHealthy(mine, one.revision_id)
    await mine.leave(0)
    const has = async (id: string) => id === kept.deployment_id
    const next = world.another({ record: { id: 'a', has } })
    const left = () => world.cluster.objects('Deployment').map(({ metadata }) => metadata.name)
    await expect.poll(left, SWEPT).toEqual([`agent-${kept.revision_id}`])
    for (const kind of ['Secret', 'Service', 'NetworkPolicy', 'PodDisruptionBudget', 'Pod']) {
      await expect.poll(() => world.cluster.objects(kind), SWEPT).toHaveLength(1)
    }
    await untilHealthy(next, kept.revision_id)
  })

  it('removes nothing of another record, though its installation is called the same', async () => {
    const [own, gone] = [world.spec('is well'), world.spec('is well')]
    const mine = world.another({ record: { id: 'a', has: async () => true } })
    await mine.start(own)
    const endpoint = await untilHealthy(mine, own.revision_id)
    const before = world.another({ record: { id: 'b', has: async () => true } })
    await before.start(gone)
    await untilHealthy(before, gone.revision_id)
    await before.leave(0)
    const other = world.another({ record: { id: 'b', has: async () => false } })
    const left = () => world.cluster.objects('Deployment').map(({ metadata }) => metadata.name)
    await expect.poll(left, SWEPT).toEqual([`agent-${own.revision_id}`])
    expect(other.revisionsOf(own.deployment_id)).toEqual([])
    expect(await ask(endpoint)).toBeDefined()
    expect(mine.observe(own.revision_id)).toEqual({ kind: 'healthy', endpoints: [endpoint] })
  })

  it('removes nothing where the record cannot be read', async () => {
    const one = world.spec('is well')
    const mine = world.another({ record: { id: 'a', has: async () => true } })
    await mine.start(one)
    const endpoint = await untilHealthy(mine, one.revision_id)
    await mine.leave(0)
    const asked = Promise.withResolvers<void>()
    const has = async () => {
      asked.resolve()
      throw new Error('The database is away.')
    }
    const next = world.another({ record: { id: 'a', has } })
    await asked.promise
    expect(await untilHealthy(next, one.revision_id)).toEqual(endpoint)
    expect(await ask(endpoint)).toBeDefined()
  })

  it('waits for an API server that is away, while agent servers go on', async () => {
    const { spec: one, endpoint } = await startHealthy()
    await world.cluster.goAway()
    const later = world.spec('is well')
    await world.driver.start(later)
    expect(world.driver.observe(one.revision_id)).toEqual({
      kind: 'healthy',
      endpoints: [endpoint],
    })
    expect(await ask(endpoint)).toBeDefined()
    await world.cluster.comeBack()
    await untilHealthy(world.driver, later.revision_id)
    const restarting = until(world.driver, one.revision_id, 'restarting')
    await world.kill(one.revision_id)
    await restarting
    await untilHealthy(world.driver, one.revision_id)
  })

  it('has a pod that is evicted answer until another one does', async () => {
    const { spec: one, endpoint } = await startHealthy()
    const observe = () => world.driver.observe(one.revision_id)
    const kinds = new Set<string>()
    world.driver.onChange(() => kinds.add(observe().kind))
    const [pod] = world.cluster.objects('Pod')
    world.cluster.fill()
    world.cluster.deletePod(pod?.metadata.name ?? '')
    await expect.poll(() => world.cluster.objects('Pod')).toHaveLength(2)
    expect(observe()).toEqual({ kind: 'healthy', endpoints: [endpoint] })
    expect(await ask(endpoint)).toBeDefined()
    world.cluster.makeRoom()
    const urls = () => endpointsOf(observe()).map(({ url }) => url)
    await expect.poll(urls).not.toContain(endpoint.url)
    await expect.poll(() => world.cluster.objects('Pod')).toHaveLength(1)
    expect([...kinds]).toEqual(['healthy'])
    expect(await ask(await untilHealthy(world.driver, one.revision_id))).toBeDefined()
  })

  it('lets what is open on a pod that was replaced go on', async () => {
    const { spec: one, endpoint } = await startHealthy()
    const body = new PassThrough()
    const headers = { [GATEWAY_TOKEN_HEADER]: endpoint.token }
    const request = httpRequest(endpoint.url, { method: 'POST', headers })
    const answered = once(request, 'response')
    body.pipe(request)
    body.write('it begins')
    await once(request, 'socket')
    const [pod] = world.cluster.objects('Pod')
    world.cluster.deletePod(pod?.metadata.name ?? '')
    const urls = () => endpointsOf(world.driver.observe(one.revision_id)).map(({ url }) => url)
    await expect.poll(urls, { timeout: 10_000 }).not.toContain(endpoint.url)
    // It is told so a moment later.
    const lines = () => readFile(join(world.dir, 'logs', one.revision_id, 'deploy.log'), 'utf8')
    await expect.poll(lines, { timeout: 10_000 }).toContain('goes on for')
    expect(world.cluster.objects('Pod')).toHaveLength(2)
    body.end()
    const [response] = (await answered) as [IncomingMessage]
    expect(response.statusCode).toBe(200)
    await expect.poll(() => world.cluster.objects('Pod')).toHaveLength(1)
  })

  it('has a pod end that was evicted long ago, though there is no other one', async () => {
    const driver = world.another({ lingerMs: 3000 })
    const one = world.spec('is well')
    await driver.start(one)
    await untilHealthy(driver, one.revision_id)
    const [pod] = world.cluster.objects('Pod')
    world.cluster.fill()
    const restarting = until(driver, one.revision_id, 'restarting')
    world.cluster.deletePod(pod?.metadata.name ?? '')
    expect((await restarting).reason).toMatch(/Kubernetes has deleted its pod|does not answer/)
    await expect.poll(() => world.cluster.objects('Pod')).toHaveLength(1)
    world.cluster.makeRoom()
    await untilHealthy(driver, one.revision_id)
  })

  it('has a link to an image that is built on its own', async () => {
    const artifact = { kind: 'image', image_uri: 'runyard:stand-in', is_linked: true } as const
    const secrets = [{ name: 'KEY', value: 'the-secret' }]
    const one = { ...world.spec('is well', secrets), artifact, isStandby: true }
    await world.driver.start(one)
    const endpoint = await untilHealthy(world.driver, one.revision_id)
    expect(await ask(endpoint)).toMatchObject({ start: { secrets: { KEY: 'the-secret' } } })
    expect(JSON.stringify((await ask(endpoint))?.env)).not.toContain('the-secret')
    await world.driver.activate(one.revision_id)
    expect(await world.driver.inspect(one.revision_id)).toMatchObject({ parked: 0 })
  })

  it('says why an image cannot be had', async () => {
    const artifact = { kind: 'image', image_uri: 'registry.example.com/missing@sha256:00' } as const
    expect(await failureOf({ artifact })).toBe(
      'The agent server cannot be started: ImagePullBackOff: Back-off pulling image ' +
        '"registry.example.com/missing@sha256:00": ErrImagePull: not found.',
    )
  })

  it('says why a project cannot be fetched', async () => {
    const { artifact } = world.spec('cannot be fetched')
    expect(await failureOf({ artifact })).toBe(
      'The agent server did not start: The container fetch ended: it ended with exit code 5.\n' +
        'the digest is another one',
    )
  })

  it('says that there is no room', async () => {
    world.cluster.fill()
    expect(await failureOf({}, { healthTimeoutMs: 5000 })).toBe(
      'The agent server was not healthy within 5 s. RUNYARD_START_TIMEOUT_SECS sets the limit.\n' +
        'Kubernetes finds no room for it: 0/1 nodes are available: 1 Insufficient memory.',
    )
  })

  it('says what of resource_spec the operator does not allow, and makes nothing', async () => {
    const resource_spec = { volumes: [{ name: 'all', hostPath: { path: '/' } }] }
    expect(await failureOf({ resource_spec })).toMatch(
      /^resource_spec.volumes\[0\].hostPath is refused/,
    )
    expect(world.cluster.objects('Secret')).toEqual([])
  })

  it('says what the namespace does not allow', async () => {
    const resource_spec = { volumes: [{ name: 'all', hostPath: { path: '/' } }] }
    const kubernetes = { ...world.settings, allow: ['host_path'] as const }
    expect(await failureOf({ resource_spec }, { kubernetes })).toContain(
      'is forbidden: violates PodSecurity "restricted:latest": restricted volume types',
    )
  })

  it('says that pods find a project nowhere without a store for it', async () => {
    const artifactAddress = async () => undefined
    expect(await failureOf({}, { artifactAddress })).toContain('Set RUNYARD_ARTIFACTS_URL')
  })

  it('fails a revision whose Deployment others delete, so that it is started again', async () => {
    const { spec: one } = await startHealthy()
    const failed = until(world.driver, one.revision_id, 'failed')
    await world.cluster.remove('Deployment')
    expect((await failed).reason).toContain('Its Deployment was deleted from the cluster')
    await world.driver.start(one)
    await untilHealthy(world.driver, one.revision_id)
  })

  it('leaves the number of pods to the cluster where the operator says so', async () => {
    const kubernetes = { ...world.settings, scaling: 'hpa' as const }
    const driver = world.another({ kubernetes })
    const one = { ...world.spec('is well'), resource_spec: { min_scale: 1, max_scale: 3 } }
    await driver.start(one)
    await untilHealthy(driver, one.revision_id)
    await expect
      .poll(() => world.cluster.objects('HorizontalPodAutoscaler'))
      .toMatchObject([{ spec: { minReplicas: 1, maxReplicas: 3 } }])
    driver.scale(one.revision_id, 2, async () => {})
    expect(world.cluster.objects('Deployment')).toMatchObject([{ spec: { replicas: 1 } }])
    await driver.stop(one.revision_id, 5000)
    expect(world.cluster.objects('HorizontalPodAutoscaler')).toEqual([])
  })
})
