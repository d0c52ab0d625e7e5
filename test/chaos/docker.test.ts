/**
 * `up` with containers of a real engine: rollouts that nobody notices, broken revisions with their reasons, and then
 * containers, the engine and the control plane itself killed. `vitest.config.ts` leaves it out where TEST_RUNYARD_IMAGE
 * names no archive (`docker save`) with Runyard's image, under the name `localhost/runyard:lab`.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ContainerEngine,
  startContainerEngine,
} from '../support/control-plane/container-engine.ts'
import { startRegistry, type TestRegistry } from '../support/control-plane/registry.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
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
const AWAY_MS = effort({ short: 5_000, whole: 30_000 })
const PER_SECOND = 20
const LIMIT_MS = effort({ short: 900_000, whole: 2_400_000 })
const IMAGE = 'localhost/runyard:lab'
const HUSH = 'nobody-else-is-to-see-this'

const resource_spec = {
  ...{ min_scale: 2, max_scale: 2, cpu: 0.1, cpu_limit: 2 },
  ...{ memory_mb: 128, memory_limit_mb: 512 },
}
const deployment = new RolledOut('probed', { isInstalled: true, resource_spec })
const dataDir = temporaryFolder()
let engine: ContainerEngine
let registry: TestRegistry
let runyard: OutlivedRunyard

beforeAll(async () => {
  engine = await startContainerEngine()
  registry = await startRegistry()
  await engine.loadImage(process.env.TEST_RUNYARD_IMAGE ?? '')
  runyard = new OutlivedRunyard(dataDir, {
    ...{ RUNYARD_RUNTIME: 'docker', RUNYARD_DOCKER_HOST: engine.host, RUNYARD_IMAGE: IMAGE },
    ...{
      RUNYARD_START_TIMEOUT_SECS: '90',
      RUNYARD_REGISTRY_ALLOW: 'loopback',
      A_VARIABLE_OF_THE_OPERATOR: HUSH,
    },
    // Only the first build of a deployment needs the registry: this is about rollouts.
    npm_config_prefer_offline: 'true',
  })
  await runyard.start()
  expect(await deployment.create(runyard)).toMatchObject({ status: 'DEPLOYED' })
}, 600_000)
afterAll(async () => {
  await runyard?.stop()
  await engine?.stop()
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
    expect(greedy.status_message).toContain('512 MB')
    const stuck = await deployment.rollOut(runyard, 'stuck')
    expect(stuck).toMatchObject({ status: 'DEPLOY_FAILED' })
    expect(stuck.status_message).toContain('was not healthy within')
    const empty = await deployImage('empty', `${registry.host}/empty:1`)
    expect(empty).toMatchObject({ status: 'DEPLOY_FAILED' })
    expect(empty.status_message).not.toBe('')
    console.log(
      `containers: ${JSON.stringify([dead, greedy, stuck, empty].map(reasonOf), null, 1)}`,
    )
    await prober.untilMore(Math.max(REQUESTS, LEAST - prober.total))
    await prober.stop()
    expect(prober.failures).toEqual([])
    expect(prober.revisions.size).toBe(1 + ROLLOUTS + ROLLBACKS)
    console.log(
      `containers: ${prober.total} requests, ${JSON.stringify(prober.counts)}, success 1.0`,
    )
  },
  LIMIT_MS,
)

test(
  'a graph that means harm sees nothing of others, and keeps nobody from answering',
  async () => {
    const intruder = new Intruder()
    const prober = new Prober(`${runyard.url}/agents/probed`, runyard.key, PER_SECOND)
    await runyard.untilAnswered('probed')
    const before = await containers()
    expect(await intruder.create(runyard)).toMatchObject({ status: 'DEPLOYED' })
    await prober.start()
    const seen = await intruder.look(runyard, {
      marks: [runyard.key, await encryptionKey(), HUSH],
      readable: [
        ...['admin.key', 'encryption.key', 'control-plane.db'].map((name) => join(dataDir, name)),
        join(dataDir, 'deployments', deployment.path.split('/').at(-1) ?? ''),
        ...[engine.host.replace('unix://', ''), '/var/run/docker.sock', '/run/podman/podman.sock'],
        '/etc/shadow',
      ],
      writable: ['/mine', '/etc/mine', '/opt/runyard/mine', '/tmp/mine'],
      addresses: [runyard.url, ...(await addressesOf(before))],
      statements: [],
    })
    const reached = Array.from({ length: 3 }, () => 'closed')
    const nothing = { marks: [], readable: [], answers: [] }
    expect(seen).toEqual({ ...nothing, writable: ['/tmp/mine'], reached })
    expect(await intruder.take(runyard, 'processors')).toBeLessThan(MOST_PROCESSORS)
    expect(await intruder.take(runyard, 'memory')).toBe('SIGKILL')
    expect(await intruder.take(runyard, 'processes')).toBeLessThan(512)
    await prober.untilMore(REQUESTS / 4)
    await prober.stop()
    expect(prober.failures).toEqual([])
    const names = (all: { id: string }[]) => all.map(({ id }) => id)
    expect(names(await containers())).toEqual(expect.arrayContaining(names(before)))
    await intruder.remove(runyard)
    await expect.poll(async () => (await containers()).length, { timeout: 60_000 }).toBe(2)
  },
  LIMIT_MS,
)

test(
  `what runs outlives containers, the engine and the control plane (seed ${SEED})`,
  async () => {
    await runyard.untilAnswered('probed')
    for (const container of await containers()) {
      await container.kill({ signal: 'SIGKILL' })
      await runyard.untilAnswered('probed')
    }
    await expect.poll(async () => (await containers()).length, { timeout: 60_000 }).toBe(2)
    await runyard.untilAnswered('probed')
    const prober = new Prober(`${runyard.url}/agents/probed`, runyard.key, PER_SECOND)
    await prober.start()
    await engine.stopService()
    await wait(AWAY_MS)
    await engine.startService()
    await wait(AWAY_MS)
    await prober.stop()
    expect(prober.failures, 'while the engine was away').toEqual([])
    await killed()
    await expect.poll(async () => (await containers()).length, { timeout: 180_000 }).toBe(2)
    await runyard.call('DELETE', deployment.path)
    await expect.poll(async () => (await containers()).length, { timeout: 180_000 }).toBe(0)
  },
  LIMIT_MS,
)

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

/** Those of the deployment that run, its builds' left out. */
async function containers() {
  const filters = { label: ['runyard.replica'], status: ['running'] }
  const found = await engine.docker.listContainers({ filters })
  return found.map(({ Id }) => engine.docker.getContainer(Id))
}

/** Where agent servers listen, on the networks of their containers. */
async function addressesOf(all: Awaited<ReturnType<typeof containers>>): Promise<string[]> {
  const about = await Promise.all(all.map((one) => one.inspect()))
  return about.flatMap(({ NetworkSettings: { Networks } }) =>
    Object.values(Networks).map(({ IPAddress }) => `http://${IPAddress}:8000/ok`),
  )
}

const encryptionKey = async () => (await readFile(join(dataDir, 'encryption.key'), 'utf8')).trim()

async function deployImage(name: string, image_uri: string) {
  await registry.put(name, '1')
  const source = { source: 'external_docker', source_config: {}, secrets: [] }
  const asked = { name, ...source, source_revision_config: { image_uri } }
  const made = (await runyard.call('POST', '/v2/deployments', asked)).body
  return runyard.untilOver(made as Parameters<typeof runyard.untilOver>[0])
}

function reasonOf({ status_message }: { status_message: string | null }): string | undefined {
  return status_message?.split('\n')[0]
}
