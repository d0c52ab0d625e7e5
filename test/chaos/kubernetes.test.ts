/**
 * `up` on a real cluster: rollouts that nobody notices, broken revisions with their reasons, and then
 * pods, node, kubelet, API server and the control plane itself away. `vitest.config.ts` leaves it out where
 * TEST_KUBECONFIG names no cluster. Its node is this machine. Besides it takes TEST_KUBERNETES_IMAGE, Runyard's image
 * there; TEST_KUBERNETES_DATABASE_URL, a PostgreSQL that this machine and pods reach; TEST_KUBERNETES_HOST,
 * the address of this machine that pods reach.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isOver, type Revision } from '../../client/src/client.ts'
import { type ServeProcess, startServeProcess } from '../support/serve-process.ts'
import { pause, RealCluster } from './cluster.ts'
import { effort, SEED } from './effort.ts'
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
const COMMAND = new URL('../../bin/runyard', import.meta.url).pathname
const KEY = 'ry_the_key_of_the_cluster'

const id = randomUUID().slice(0, 8)
const cluster = new RealCluster(process.env.TEST_KUBECONFIG ?? '', `runyard-chaos-${id}`)
const deployment = new RolledOut('probed', {
  isInstalled: true,
  resource_spec: {
    ...{ min_scale: 2, max_scale: 2, cpu: 0.1, cpu_limit: 2 },
    ...{ memory_mb: 128, memory_limit_mb: 512 },
  },
})
let dataDir: string
let up: ServeProcess

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'runyard-cluster-'))
  await cluster.createNamespace()
  up = await start('0')
  expect(await deployment.create(runyard)).toMatchObject({ status: 'DEPLOYED' })
}, 180_000)
afterAll(async () => {
  await cluster.uncordon()
  await up.stop()
  await cluster.removeNamespace()
  await rm(dataDir, { recursive: true, force: true })
  deployment.remove()
}, 120_000)

test(
  `${ROLLOUTS} rollouts, ${ROLLBACKS} rollbacks and broken revisions fail no request`,
  async () => {
    const prober = new Prober(`${up.url}/agents/probed`, KEY, PER_SECOND)
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
    await prober.untilMore(Math.max(REQUESTS, LEAST - prober.total))
    await prober.stop()
    expect(prober.failures).toEqual([])
    expect(prober.revisions.size).toBe(1 + ROLLOUTS + ROLLBACKS)
    console.log(`cluster: ${prober.total} requests, ${JSON.stringify(prober.counts)}, success 1.0`)
  },
  LIMIT_MS,
)

test(
  `what runs outlives pods, node, kubelet, API server and control plane (seed ${SEED})`,
  async () => {
    await untilAnswered()
    for (const name of await cluster.pods()) {
      await cluster.deletePod(name)
      await untilAnswered()
    }
    await cluster.drain()
    await cluster.uncordon()
    await untilAnswered()
    for (const program of ['kubelet', 'kube-apiserver']) {
      const prober = new Prober(`${up.url}/agents/probed`, KEY, PER_SECOND)
      await prober.start()
      await pause(program, AWAY_MS)
      await prober.stop()
      expect(prober.failures, `while the ${program} stood still`).toEqual([])
      await untilAnswered()
    }
    await killed()
    await cleared()
  },
  LIMIT_MS,
)

/** `kill -9` of the control plane at random moments of rollouts: each comes to its end. */
async function killed(): Promise<void> {
  const random = new Random(SEED)
  const { port } = new URL(up.url)
  for (let kill = 0; kill < KILLS; kill += 1) {
    const rolling = deployment.rollOut(runyard).catch(() => undefined)
    await wait(random.between(0, 12_000))
    const gone = once(up.process, 'exit')
    up.process.kill('SIGKILL')
    await Promise.all([gone, rolling])
    up = await start(port)
  }
  expect(await deployment.rollOut(runyard)).toMatchObject({ status: 'DEPLOYED' })
  await untilAnswered()
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

/** Settles when a run is done in whole: what was in the way is over. */
async function untilAnswered(): Promise<void> {
  const body = { assistant_id: 'slow', input: { label: 'a', count: 2, ms: 20 } }
  const ask = async () => {
    const { status, body: values } = await call('POST', '/agents/probed/runs/wait', body)
    return { status, values }
  }
  const whole = { status: 200, values: { steps: ['a:1', 'a:2'] } }
  await expect.poll(ask, { timeout: 180_000, interval: 500 }).toMatchObject(whole)
}

function start(port: string): Promise<ServeProcess> {
  const env = process.env
  const database = new URL(env.TEST_KUBERNETES_DATABASE_URL ?? '')
  database.searchParams.set('schema', `chaos_${id}`)
  return startServeProcess(COMMAND, ['up'], {
    cwd: dataDir,
    env: {
      ...{ RUNYARD_DATA_DIR: dataDir, RUNYARD_HOST: env.TEST_KUBERNETES_HOST, RUNYARD_PORT: port },
      ...{ RUNYARD_EXAMPLE: '0', RUNYARD_ADMIN_KEY: KEY, RUNYARD_DRAIN_SECS: '2' },
      ...{ RUNYARD_RUNTIME: 'kubernetes', RUNYARD_KUBECONFIG: env.TEST_KUBECONFIG },
      ...{ RUNYARD_IMAGE: env.TEST_KUBERNETES_IMAGE, RUNYARD_DATABASE_URL: database.href },
      ...{ RUNYARD_KUBERNETES_NAMESPACE: cluster.namespace, RUNYARD_KUBERNETES_INSTALLATION: id },
    },
  })
}

const runyard = {
  call,
  async untilOver({ id: owner, latest_revision_id }: { id: string; latest_revision_id: string }) {
    const path = `/v2/deployments/${owner}/revisions/${latest_revision_id}`
    for (;;) {
      const revision = (await call('GET', path)).body as Revision
      if (isOver(revision.status)) return revision
      await wait(100)
    }
  },
}

async function call(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(up.url + path, {
    method,
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}
