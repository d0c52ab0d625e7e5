/**
 * `up` on a real cluster: rollouts that nobody notices, broken revisions with their reasons, and then
 * pods, node, kubelet, API server and the control plane itself away. `vitest.config.ts` leaves it out where
 * TEST_KUBECONFIG names no cluster. Its node is this machine. Besides it takes TEST_KUBERNETES_IMAGE, Runyard's image
 * there; TEST_KUBERNETES_DATABASE_URL, a PostgreSQL that this machine and pods reach; TEST_KUBERNETES_HOST,
 * the address of this machine that pods reach.
 */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deploymentDatabaseUrl, parseDatabaseUrl } from '../../src/core/database-url.ts'
import { startRegistry, type TestRegistry } from '../support/control-plane/registry.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { pause, RealCluster } from './cluster.ts'
import { effort, SEED } from './effort.ts'
import { Intruder, MOST_PROCESSORS } from './intruder.ts'
import { OutlivedRunyard } from './outlived-runyard.ts'
import { Prober } from './prober.ts'
import { Random } from './random.ts'
import { RolledOut } from './rollouts.ts'

const ROLLOUTS = effort({ short: 2, whole: 10 })
const ROLLBACKS = effort({ short: 1, whole: 2 })
const REQUESTS = effort({ short: 20, whole: 500 })
const LEAST = effort({ short: 100, whole: 10_000 })
const KILLS = effort({ short: 2, whole: 10 })
const AWAY_MS = effort({ short: 10_000, whole: 60_000 })
const PER_SECOND = 20
const LIMIT_MS = effort({ short: 900_000, whole: 2_400_000 })
const HUSH = 'nobody-else-is-to-see-this'

const id = randomUUID().slice(0, 8)
const cluster = new RealCluster(process.env.TEST_KUBECONFIG ?? '', `runyard-chaos-${id}`)
const deployment = new RolledOut('probed', {
  isInstalled: true,
  resource_spec: {
    ...{ min_scale: 2, max_scale: 2, cpu: 0.1, cpu_limit: 2 },
    ...{ memory_mb: 128, memory_limit_mb: 512 },
  },
})
const dataDir = temporaryFolder()
let registry: TestRegistry
let runyard: OutlivedRunyard

beforeAll(async () => {
  await cluster.createNamespace()
  registry = await startRegistry()
  runyard = new OutlivedRunyard(dataDir, settings())
  await runyard.start()
  expect(await deployment.create(runyard)).toMatchObject({ status: 'DEPLOYED' })
}, 180_000)
afterAll(async () => {
  await cluster.uncordon()
  await runyard?.stop()
  await cluster.removeNamespace()
  await registry?.stop()
  deployment.remove()
}, 120_000)

test(
  `${ROLLOUTS} rollouts, ${ROLLBACKS} rollbacks and broken revisions fail no request`,
  async () => {
    const prober = new Prober(`${runyard.url}/agents/probed`, runyard.key, PER_SECOND)
    await prober.start()
    for (let i = 0; i < ROLLOUTS; i += 1) {
      expect(await deployment.rollOut(runyard)).toMatchObject({ status: 'DEPLOYED' })
      await prober.untilMore(REQUESTS)
    }
    for (let i = 0; i < ROLLBACKS; i += 1) {
      expect(await deployment.rollBack(runyard)).toMatchObject({ status: 'DEPLOYED' })
      await prober.untilMore(REQUESTS)
    }
    const dead = await deployment.rollOut(runyard, 'dead')
    expect(dead).toMatchObject({ status: 'DEPLOY_FAILED' })
    expect(dead.status_message).toContain('dead')
    const greedy = await deployment.rollOut(runyard, 'greedy')
    expect(greedy).toMatchObject({ status: 'DEPLOY_FAILED' })
    expect(greedy.status_message).toContain('more memory than its memory_limit_mb allows')
    const stuck = await deployment.rollOut(runyard, 'stuck')
    expect(stuck).toMatchObject({ status: 'DEPLOY_FAILED' })
    expect(stuck.status_message).toContain('was not healthy within')
    const missing = await deployImage('missing', `${registry.host}/missing:1`)
    expect(missing).toMatchObject({ status: 'DEPLOY_FAILED' })
    expect(missing.status_message).toContain('ImagePullBackOff')
    const reasons = [dead, greedy, stuck, missing].map((one) => one.status_message?.split('\n'))
    console.log(`cluster: ${JSON.stringify(reasons, null, 1)}`)
    await prober.untilMore(Math.max(REQUESTS, LEAST - prober.total))
    await prober.stop()
    expect(prober.failures).toEqual([])
    expect(prober.revisions.size).toBe(1 + ROLLOUTS + ROLLBACKS)
    console.log(`cluster: ${prober.total} requests, ${JSON.stringify(prober.counts)}, success 1.0`)
  },
  LIMIT_MS,
)

test(
  'a graph that means harm sees nothing of others, and keeps nobody from answering',
  async () => {
    const intruder = new Intruder()
    const prober = new Prober(`${runyard.url}/agents/probed`, runyard.key, PER_SECOND)
    await runyard.untilAnswered('probed')
    const before = await cluster.pods()
    const others = await cluster.addresses()
    expect(await intruder.create(runyard)).toMatchObject({ status: 'DEPLOYED' })
    await prober.start()
    const database = settings().RUNYARD_DATABASE_URL ?? ''
    const own = parseDatabaseUrl(database).schema
    const id = deployment.path.split('/').at(-1) ?? ''
    const ofOther = parseDatabaseUrl(deploymentDatabaseUrl(database, id)).schema
    const places = ['/var/run/secrets/kubernetes.io', '/var/lib/kubelet', '/etc/kubernetes']
    const sockets = ['/run/containerd/containerd.sock', '/var/run/docker.sock']
    const seen = await intruder.look(runyard, {
      marks: [runyard.key, await encryptionKey(), HUSH, database],
      readable: [dataDir, ...places, ...sockets, '/root', '/etc/shadow'],
      writable: ['/mine', '/etc/mine', '/project/mine', '/run/runyard/mine', '/tmp/mine'],
      addresses: [
        `${runyard.url}/v2/deployments`,
        ...others.map((ip) => `http://${ip}:8000/threads`),
      ],
      statements: [
        ...['SELECT 1', `SELECT * FROM ${own}.api_keys`, `SELECT * FROM ${own}.revisions`],
        `SELECT * FROM ${ofOther}.threads`,
      ],
    })
    expect(seen).toEqual({
      ...{ marks: [], readable: [], writable: ['/tmp/mine'] },
      // The control plane asks for a key. Another pod refuses too, where no policy of the network keeps it away.
      reached: ['401', ...others.map(() => expect.stringMatching(/^(401|403|503|closed)$/))],
      answers: ['1 rows', 'refused', 'refused', 'refused'],
    })
    expect(await intruder.take(runyard, 'processors')).toBeLessThan(MOST_PROCESSORS)
    // Where the kernel ends all of a container together, there is no answer.
    expect([undefined, 'SIGKILL']).toContain(await intruder.take(runyard, 'memory'))
    const bomb = intruder.take(runyard, 'processes')
    await Promise.race([bomb, prober.untilMore(REQUESTS)])
    await prober.untilMore(REQUESTS / 4)
    await prober.stop()
    expect(prober.failures).toEqual([])
    expect(await cluster.pods()).toEqual(expect.arrayContaining(before))
    await intruder.remove(runyard)
    await bomb
    await expect.poll(async () => (await cluster.left()).pods, { timeout: 120_000 }).toBe(2)
  },
  LIMIT_MS,
)

test(
  `what runs outlives pods, node, kubelet, API server and control plane (seed ${SEED})`,
  async () => {
    await whole()
    for (const name of await cluster.pods()) {
      const requests = await lastingRequests()
      await cluster.deletePod(name)
      await whole()
      expect(await Promise.all(requests), 'longer than a start').toEqual(LASTED)
    }
    await drained()
    for (const program of ['kubelet', 'kube-apiserver']) {
      const prober = new Prober(`${runyard.url}/agents/probed`, runyard.key, PER_SECOND)
      await prober.start()
      await pause(program, AWAY_MS)
      await prober.stop()
      expect(prober.failures, `while the ${program} stood still`).toEqual([])
      await whole()
    }
    await killed()
    await cleared()
  },
  LIMIT_MS,
)

/** As many pods answer as there are to be, those not counted that are on their way to their end. */
async function whole(): Promise<void> {
  const states = async () => {
    const { body } = await runyard.call('GET', `${deployment.path}/runtime`)
    return (body as { replicas: { state: string }[] }).replicas.map(({ state }) => state)
  }
  const both = ['healthy', 'healthy']
  await expect.poll(states, { timeout: 180_000, interval: 500 }).toEqual(both)
  await runyard.untilAnswered('probed')
}

/** Longer than the start of a pod: 45 steps of a second. */
const LASTING = { count: 45, ms: 1000 }
const LASTED = Array.from({ length: 8 }, () => ({ status: 200, steps: LASTING.count }))

/** Runs that are waited for and streamed, some of them on each pod; settles once all of them have begun. */
async function lastingRequests(): Promise<Promise<{ status: number; steps: number }>[]> {
  const url = `${runyard.url}/agents/probed`
  const headers = { 'x-api-key': runyard.key, 'content-type': 'application/json' }
  const body = JSON.stringify({ assistant_id: 'slow', input: LASTING, stream_mode: 'custom' })
  const ask = async (way: 'wait' | 'stream') => {
    const response = await fetch(`${url}/runs/${way}`, { method: 'POST', headers, body })
    return { way, response }
  }
  const ways = LASTED.map((_, i) => (i % 2 === 0 ? 'wait' : 'stream'))
  // A wait is answered with 200 when its run begins, and with the state at its end.
  const begun = await Promise.all(ways.map((way) => ask(way as 'wait' | 'stream')))
  return begun.map(async ({ way, response }) => {
    const text = await response.text().catch(() => '')
    const steps =
      way === 'wait'
        ? JSON.parse(text || '{}').steps?.length
        : text.split('event: custom').length - 1
    return { status: response.status, steps: steps ?? 0 }
  })
}

/** There is room elsewhere only after a while, and nobody who asks notices. */
async function drained(): Promise<void> {
  const prober = new Prober(`${runyard.url}/agents/probed`, runyard.key, PER_SECOND)
  await prober.start()
  const before = await cluster.pods()
  await cluster.drain()
  await prober.untilMore(REQUESTS / 4)
  await cluster.uncordon()
  const arePassed = async () => {
    const now = await cluster.pods()
    // The budget leaves the others alone until those that were taken first are replaced.
    return now.length === before.length && now.some((name) => !before.includes(name))
  }
  await expect.poll(arePassed, { timeout: 180_000, interval: 500 }).toBe(true)
  await whole()
  await prober.untilMore(REQUESTS / 4)
  await prober.stop()
  expect(prober.failures, 'while the node was drained').toEqual([])
}

/** `kill -9` of the control plane at random moments of rollouts: each comes to its end. */
async function killed(): Promise<void> {
  const random = new Random(SEED)
  for (let kill = 0; kill < KILLS; kill += 1) {
    const rolling = deployment.rollOut(runyard).catch(() => undefined)
    await wait(random.between(0, 12_000))
    await Promise.all([runyard.kill(), rolling])
    await runyard.start()
  }
  expect(await deployment.rollOut(runyard)).toMatchObject({ status: 'DEPLOYED' })
  await runyard.untilAnswered('probed')
}

/** Only the pods of the revision that is active, and none after the deployment's end. */
async function cleared(): Promise<void> {
  const poll = { timeout: 180_000, interval: 1000 }
  const running = { secrets: 1, deployments: 1, pods: 2 }
  await expect.poll(() => cluster.left(), poll).toEqual(running)
  await runyard.call('DELETE', deployment.path)
  const none = { secrets: 0, deployments: 0, pods: 0 }
  await expect.poll(() => cluster.left(), poll).toEqual(none)
}

const encryptionKey = async () => (await readFile(join(dataDir, 'encryption.key'), 'utf8')).trim()

/** It is in a registry that the cluster does not reach. */
async function deployImage(name: string, image_uri: string) {
  await registry.put(name, '1')
  const source = { source: 'external_docker', source_config: {}, secrets: [] }
  const asked = { name, ...source, source_revision_config: { image_uri } }
  const made = (await runyard.call('POST', '/v2/deployments', asked)).body as {
    id: string
    latest_revision_id: string
  }
  const revision = await runyard.untilOver(made)
  await runyard.call('DELETE', `/v2/deployments/${made.id}`)
  return revision
}

function settings(): NodeJS.ProcessEnv {
  const env = process.env
  const database = new URL(env.TEST_KUBERNETES_DATABASE_URL ?? '')
  database.searchParams.set('schema', `chaos_${id}`)
  return {
    ...{ RUNYARD_HOST: env.TEST_KUBERNETES_HOST, RUNYARD_REGISTRY_ALLOW: 'loopback' },
    RUNYARD_START_TIMEOUT_SECS: '90',
    ...{ RUNYARD_RUNTIME: 'kubernetes', RUNYARD_KUBECONFIG: env.TEST_KUBECONFIG },
    ...{ RUNYARD_IMAGE: env.TEST_KUBERNETES_IMAGE, RUNYARD_DATABASE_URL: database.href },
    A_VARIABLE_OF_THE_OPERATOR: HUSH,
    ...{ RUNYARD_KUBERNETES_NAMESPACE: cluster.namespace, RUNYARD_KUBERNETES_INSTALLATION: id },
  }
}
